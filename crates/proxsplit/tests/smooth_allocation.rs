//! Gradients allocate nothing after their first call.

#![allow(clippy::unwrap_used, unsafe_code)]

#[path = "smooth/storages.rs"]
mod storages;

use proxsplit::smooth::Logistic;
use proxsplit::{FiniteSum, Smooth};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use storages::Sample;

thread_local!(static COUNT: Cell<usize> = const { Cell::new(0) });

struct Counting;

// SAFETY: passes everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's contract is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is passed on.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn gradients_allocate_nothing_after_the_first() {
    let (rows, cols) = (120, 60);
    let labels = vec![1.0; rows];
    let (x, mut grad) = (vec![0.1; cols], vec![0.0; cols]);
    let batch = [3, 100, 7];
    Sample::new(rows, cols, 1).each(&mut |storage, a, _| {
        let f = Logistic::new(a, &labels).unwrap();
        let mut pass = || {
            f.gradient(&x, &mut grad);
            f.value(&x);
            f.add_gradient(&batch, &x, &mut grad);
        };
        pass();
        let before = COUNT.get();
        for _ in 0..10 {
            pass();
        }
        assert_eq!(COUNT.get(), before, "{storage}");
    });
}
