//! Scratch memory for operators, so that a prox allocates nothing after its first call on a thread.
//!
//! An operator is an immutable value and its prox takes a slice and a step, nothing else; those whose algorithm needs a
//! list on the side borrow one here. Buffers live in a pool per thread and grow to the largest length ever asked for.

use std::cell::RefCell;
use std::thread::LocalKey;

/// Element types that have a pool of buffers.
pub trait Pooled: Copy + Default + 'static {
    #[doc(hidden)]
    fn pool() -> &'static LocalKey<RefCell<Vec<Vec<Self>>>>;
}

macro_rules! pooled {
    ($($element:ty),*) => {$(
        impl Pooled for $element {
            fn pool() -> &'static LocalKey<RefCell<Vec<Vec<Self>>>> {
                thread_local!(static POOL: RefCell<Vec<Vec<$element>>> = const { RefCell::new(Vec::new()) });
                &POOL
            }
        }
    )*};
}
pooled!(f32, f64, u32, u64, usize);

/// Calls `work` with a buffer of `len` elements of unspecified content. Calls may nest.
pub fn with<E: Pooled, R>(len: usize, work: impl FnOnce(&mut [E]) -> R) -> R {
    let mut buffer = E::pool().with_borrow_mut(Vec::pop).unwrap_or_default();
    if buffer.len() < len {
        buffer.resize(len, E::default());
    }
    let result = work(&mut buffer[..len]);
    E::pool().with_borrow_mut(|pool| pool.push(buffer));
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
}
