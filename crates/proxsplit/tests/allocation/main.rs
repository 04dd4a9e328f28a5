//! Solvers and gradients allocate nothing after set-up.
#![allow(clippy::unwrap_used)] // A failed set-up is a failed test.

mod gradients;
#[allow(dead_code)] // Only one problem is needed here.
#[path = "../solvers/sample.rs"]
mod sample;
mod solvers;
#[path = "../smooth/storages.rs"]
mod storages;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

// Other threads are those of other tests and of the test runner.
thread_local!(static COUNT: Cell<usize> = const { Cell::new(0) });

struct Counting;

#[allow(unsafe_code)] // An allocator cannot be written without it.
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
static COUNTING: Counting = Counting;

/// How often this thread has allocated.
fn count() -> usize {
    COUNT.with(Cell::get)
}
