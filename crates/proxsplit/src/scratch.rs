//! Scratch memory for operators, so that a prox allocates nothing after its first call on a thread.
//!
//! An operator is an immutable value and its prox takes a slice and a step, nothing else; those whose algorithm needs a
//! list on the side borrow one here. Buffers live in a pool per thread and grow to the largest length ever asked for.

use std::cell::RefCell;

/// Element types that have a pool of buffers.
pub trait Pooled: Copy + Default + 'static {
    /// A buffer of at least `len` elements.
    #[doc(hidden)]
    fn take(len: usize) -> Vec<Self>;
    #[doc(hidden)]
    fn give_back(buffer: Vec<Self>);
}

// Neither is generic over the work, which would compile the way to the pool once for every closure.
macro_rules! pooled {
    ($($element:ty),*) => {$(const _: () = {
        thread_local!(static POOL: RefCell<Vec<Vec<$element>>> = const { RefCell::new(Vec::new()) });

        impl Pooled for $element {
            fn take(len: usize) -> Vec<Self> {
                let mut buffer = POOL.with_borrow_mut(Vec::pop).unwrap_or_default();
                if buffer.len() < len {
                    buffer.resize(len, Self::default());
                }
                buffer
            }

            fn give_back(buffer: Vec<Self>) {
                POOL.with_borrow_mut(|pool| pool.push(buffer));
            }
        }
    };)*};
}
pooled!(f32, f64, u32, u64, usize);

/// Bytes of a cache line. A register of that size that lies across two of them takes twice the time to load and to store.
const LINE: usize = 64;

/// Calls `work` with a buffer of `len` elements of unspecified content, which begins at a cache line. Calls may nest.
pub fn with<E: Pooled, R>(len: usize, work: impl FnOnce(&mut [E]) -> R) -> R {
    let slack = LINE / size_of::<E>();
    let mut buffer = E::take(len + slack);
    let start = buffer.as_ptr().align_offset(LINE).min(slack);
    let result = work(&mut buffer[start..][..len]);
    E::give_back(buffer);
    result
}

#[cfg(test)]
mod tests {
    use super::with;

    #[test]
    fn buffers_nest_and_are_reused() {
        let outer = with(3, |a: &mut [f64]| {
            a.fill(1.0);
            with(5, |b: &mut [f64]| b.fill(2.0));
            assert_eq!(a, [1.0; 3]);
            a.as_ptr()
        });
        assert_eq!(outer, with(2, |a: &mut [f64]| a.as_ptr()));
    }

    #[test]
    fn buffers_begin_at_cache_lines() {
        for len in [0, 1, 1000] {
            assert!(with(len, |a: &mut [f32]| a.as_ptr().addr()).is_multiple_of(super::LINE));
            assert!(with(len, |a: &mut [u64]| a.as_ptr().addr()).is_multiple_of(super::LINE));
        }
    }
}
