//! Besides Y as stored, a run needs O((m + T)·K) and fixed panels; passes after the first ones allocate nothing of their own.
#![allow(clippy::unwrap_used)]

use proxsplit::Matrix;
use proxsplit::data::{Dense, Elements, Indices, Sparse, StorageOrder};
use proxsplit::set::NonNeg;
use proxsplit_factor::{
    Data, Factorization, Generated, Graph, Loss, Method, Missing, Problem, Settings,
};
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

const RANK: usize = 16;
/// The queues of the thread pool grow now and then, by a little.
const OF_THE_POOL: usize = 4096;

/// Runs every method, and looks at what it needs at most and at what its later passes ask for.
fn check(matrix: Matrix<'_>, scale: f64, missing: Missing, loss: Loss) {
    let data = Data::<f64>::with_missing(matrix, scale, missing).unwrap();
    let problem = Problem::new(&data, RANK, &NonNeg, &NonNeg).unwrap();
    check_problem(problem.with_loss(loss).unwrap(), missing, loss);
}

/// The same with a graph of samples.
fn check_graph(matrix: Matrix<'_>) {
    let nodes = i32::try_from(matrix.cols()).unwrap();
    let starts: Vec<i64> = (0..=i64::from(nodes)).collect();
    let next: Vec<i32> = (0..nodes).map(|i| (i + 1) % nodes).collect();
    let ones = vec![1.0; matrix.cols()];
    let arrays = (Indices::I64(&starts), Indices::I32(&next));
    let order = StorageOrder::RowMajor;
    let ring = Sparse::new(
        (ones.len(), ones.len()),
        order,
        arrays.0,
        arrays.1,
        Elements::F64(&ones),
    );
    let ring = Graph::new(ring.unwrap().into(), 1.0).unwrap();
    let data = Data::<f64>::new(matrix, 255.0).unwrap();
    let problem = Problem::new(&data, RANK, &NonNeg, &NonNeg).unwrap();
    let problem = problem.with_graphs(None, Some(&ring)).unwrap();
    check_problem(problem, Missing::None, Loss::Squared);
}

fn check_problem(problem: Problem<'_, f64>, missing: Missing, loss: Loss) {
    let matrix = problem.data().matrix();
    let factors = (matrix.rows() + matrix.cols()) * RANK * size_of::<f64>();
    for method in [
        Method::Auto,
        Method::Batch,
        Method::Incremental,
        Method::Aggregated,
        Method::Sggd,
    ] {
        let has_shares = loss == Loss::Squared || matches!(method, Method::Auto | Method::Batch);
        if !has_shares || missing != Missing::None && method == Method::Aggregated {
            continue;
        }
        let settings = Settings {
            method,
            ..Settings::default()
        };
        let before = USED.load(Relaxed);
        PEAK.store(before, Relaxed);
        let Ok(mut solver) = Factorization::new(problem, settings, None) else {
            // Graphs need batch.
            assert!(!matches!(method, Method::Auto | Method::Batch));
            continue;
        };
        let mut asked = [0; 5];
        for (pass, asked) in asked.iter_mut().enumerate() {
            let total = TOTAL.load(Relaxed);
            while solver.next().unwrap().passes < pass as f64 + 1.0 {}
            *asked = TOTAL.load(Relaxed) - total;
        }
        // A thread that helps another one for the first time may still need buffers of its own: the best pass counts.
        let least = asked[2..].iter().min().unwrap();
        assert!(*least <= OF_THE_POOL, "{method}: passes ask for {asked:?}");
        let peak = PEAK.load(Relaxed) - before;
        let limit = 12 * factors + (4 << 20);
        assert!(peak < limit, "{method}: {peak} bytes, limit {limit}");
    }
}

// One test only: the counters are shared by all threads of the process.
#[test]
fn passes_allocate_nothing_and_data_are_never_widened_as_a_whole() {
    let (m, n) = (1000, 3000);
    let pixels: Vec<u8> = (0..m * n).map(|i| (i * i % 251) as u8).collect();
    let gappy: Vec<f64> = (0..m * 300)
        .map(|i| match i * i % 7 {
            1 => f64::NAN,
            rest => rest as f64,
        })
        .collect();
    let graph = Generated::parse("webgraph:20000x15000,60000", 1)
        .unwrap()
        .unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    pool.unwrap().install(|| {
        for order in [StorageOrder::RowMajor, StorageOrder::ColumnMajor] {
            let dense = Dense::new(m, n, order, Elements::U8(&pixels)).unwrap();
            check(dense.into(), 255.0, Missing::None, Loss::Squared);
            check_graph(dense.into());
        }
        check(graph.matrix().unwrap(), 1.0, Missing::None, Loss::Squared);
        let kl = Loss::KullbackLeibler;
        check(graph.matrix().unwrap(), 1.0, Missing::None, kl);
        check(
            graph.matrix().unwrap(),
            1.0,
            Missing::Unstored,
            Loss::Squared,
        );
        let dense = Dense::new(m, 300, StorageOrder::ColumnMajor, Elements::F64(&gappy)).unwrap();
        check(dense.into(), 1.0, Missing::Nan, Loss::Squared);
    });
}
