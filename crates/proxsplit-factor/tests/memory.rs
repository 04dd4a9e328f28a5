//! Besides Y as stored, a run needs O((m + T)·K) and fixed panels; a pass allocates partial sums only.
#![allow(clippy::unwrap_used)]

use proxsplit::data::{Dense, Elements, Order};
use proxsplit::set::NonNeg;
use proxsplit_factor::{Data, Factorization, Method, Problem, Settings};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counting;

/// Bytes in use, the most that ever were, and all that were asked for.
static USED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static TOTAL: AtomicUsize = AtomicUsize::new(0);

#[allow(unsafe_code)] // An allocator cannot be written without it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        TOTAL.fetch_add(layout.size(), Relaxed);
        let used = USED.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(used, Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

// One test only: the counters are shared by all threads of the process.
#[test]
fn dense_data_are_never_widened_as_a_whole() {
    let (m, n, rank) = (2000, 6000, 16);
    let pixels: Vec<u8> = (0..m * n).map(|i| (i * i % 251) as u8).collect();
    let factors = (m + n) * rank * size_of::<f64>();
    for order in [Order::RowMajor, Order::ColumnMajor] {
        let dense = Dense::new(m, n, order, Elements::U8(&pixels)).unwrap();
        let data = Data::<f64>::new(dense.into(), 255.0).unwrap();
        let problem = Problem::new(&data, rank, &NonNeg, &NonNeg).unwrap();
        for method in [Method::Auto, Method::Batch, Method::Incremental] {
            let settings = Settings {
                method,
                ..Settings::default()
            };
            let before = USED.load(Relaxed);
            PEAK.store(before, Relaxed);
            let mut solver = Factorization::new(problem, settings, None).unwrap();
            while solver.next().unwrap().passes < 2.0 {}
            let total = TOTAL.load(Relaxed);
            while solver.next().unwrap().passes < 3.0 {}
            let pass = TOTAL.load(Relaxed) - total;
            assert!(pass < factors / 4, "{method}: {pass} bytes in a pass");
            let peak = PEAK.load(Relaxed) - before;
            let limit = 12 * factors + (4 << 20);
            assert!(peak < limit, "{method}: {peak} bytes, limit {limit}");
        }
    }
}
