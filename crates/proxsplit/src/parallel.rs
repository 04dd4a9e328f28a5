//! Rayon's parallel iterators over slices; without the feature `rayon`, plain iterators under the same names.
//!
//! Work is cut in parts that do not depend on the number of threads, so that both give the same bits.

pub(crate) mod prelude {
    #[cfg(not(feature = "rayon"))]
    pub(crate) use super::serial::{Parts, Slice};
    #[cfg(feature = "rayon")]
    pub(crate) use rayon::prelude::*;
}

#[cfg(not(feature = "rayon"))]
mod serial {
    use std::slice::{Chunks, ChunksExactMut, ChunksMut, IterMut};

    pub(crate) trait Slice<T> {
        fn par_iter_mut(&mut self) -> IterMut<'_, T>;
        fn par_chunks(&self, size: usize) -> Chunks<'_, T>;
        fn par_chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T>;
        fn par_chunks_exact_mut(&mut self, size: usize) -> ChunksExactMut<'_, T>;
    }

    impl<T> Slice<T> for [T] {
        fn par_iter_mut(&mut self) -> IterMut<'_, T> {
            self.iter_mut()
        }
        fn par_chunks(&self, size: usize) -> Chunks<'_, T> {
            self.chunks(size)
        }
        fn par_chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T> {
            self.chunks_mut(size)
        }
        fn par_chunks_exact_mut(&mut self, size: usize) -> ChunksExactMut<'_, T> {
            self.chunks_exact_mut(size)
        }
    }

    pub(crate) trait Parts: Iterator + Sized {
        fn with_max_len(self, _: usize) -> Self {
            self
        }
        fn find_map_first<R>(mut self, find: impl FnMut(Self::Item) -> Option<R>) -> Option<R> {
            self.find_map(find)
        }
    }

    impl<I: Iterator> Parts for I {}
}
