//! Rayon's parallel iterators over slices; without the feature `rayon`, plain iterators under the same names.
//!
//! Work is cut in parts that do not depend on the number of threads, so that both give the same bits.

pub(crate) mod prelude {
    pub(crate) use super::Each;
    #[cfg(not(feature = "rayon"))]
    pub(crate) use super::serial::{Numbers, Parts, Slice};
    #[cfg(feature = "rayon")]
    pub(crate) use rayon::prelude::*;
}

#[cfg(feature = "rayon")]
pub use shared::Each;

#[cfg(not(feature = "rayon"))]
pub(crate) use serial::Each;

#[cfg(feature = "rayon")]
mod shared {
    use rayon::prelude::*;

    /// Work on parts that are large enough to pay for a call through a pointer: what splits and steals is then compiled once for
    /// a type of iterator, and not once more for every closure.
    pub trait Each: IndexedParallelIterator {
        /// Does the work on every part.
        fn each(self, work: &(dyn Fn(Self::Item) + Sync)) {
            self.for_each(work);
        }

        /// What the work makes of the parts, in their order.
        fn map_to_vec<R: Send>(self, work: &(dyn Fn(Self::Item) -> R + Sync)) -> Vec<R> {
            self.map(work).collect()
        }

        /// What is found in the first part in which anything is.
        fn first_found<R: Send>(
            self,
            find: &(dyn Fn(Self::Item) -> Option<R> + Sync),
        ) -> Option<R> {
            self.find_map_first(find)
        }
    }

    impl<I: IndexedParallelIterator> Each for I {}
}

#[cfg(not(feature = "rayon"))]
mod serial {
    use std::ops::Range;
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

    pub(crate) trait Numbers: Sized {
        fn into_par_iter(self) -> Self {
            self
        }
    }

    impl Numbers for Range<usize> {}

    pub(crate) trait Parts: Iterator + Sized {
        fn with_max_len(self, _: usize) -> Self {
            self
        }
    }

    impl<I: Iterator> Parts for I {}

    pub(crate) trait Each: Iterator + Sized {
        fn each(self, work: &dyn Fn(Self::Item)) {
            self.for_each(work);
        }
        fn map_to_vec<R>(self, work: &dyn Fn(Self::Item) -> R) -> Vec<R> {
            self.map(work).collect()
        }
        fn first_found<R>(mut self, find: &dyn Fn(Self::Item) -> Option<R>) -> Option<R> {
            self.find_map(find)
        }
    }

    impl<I: Iterator> Each for I {}
}
