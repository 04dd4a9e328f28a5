//! The time of every prox on a million entries, in ns per element: `cargo bench -p proxsplit --bench operators`.
//!
//! `bench/operators.py` runs this and sets it beside other libraries. To add an operator, add a line to `operators`.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use proxsplit::prox::{
    ElasticNet, Entropy, Fused, GroupL2, GroupLinf, Groups, Huber, L1, L2, Linf, NonNegL1, Oscar,
    Slope, SparseGroup, SquaredL2, Tv1d, Zero,
};
use proxsplit::{Error, Prox};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::time::Duration;

const N: usize = 1_000_000;

type Operator = (&'static str, Box<dyn Prox<f64>>);

fn operators() -> Result<Vec<Operator>, Error> {
    let tens = || Groups::of_size(10);
    let linear = (0..N).map(|i| 2.0 * (1.0 - i as f64 / N as f64)).collect();
    Ok(vec![
        ("zero", Box::new(Zero)),
        ("l1", Box::new(L1::new(0.5)?)),
        ("nonneg-l1", Box::new(NonNegL1::new(0.5)?)),
        ("sql2", Box::new(SquaredL2::new(0.5)?)),
        ("elastic", Box::new(ElasticNet::new(0.5, 0.5)?)),
        ("huber", Box::new(Huber::new(0.5, 0.5)?)),
        ("entropy", Box::new(Entropy::new(0.5)?)),
        ("l2", Box::new(L2::new(10.0)?)),
        ("linf", Box::new(Linf::new(100.0)?)),
        ("linf-dense", Box::new(Linf::new(2e5)?)),
        ("group-l2", Box::new(GroupL2::new(0.5, tens()?)?)),
        ("group-linf", Box::new(GroupLinf::new(0.5, tens()?)?)),
        (
            "sparse-group",
            Box::new(SparseGroup::new(0.5, 0.5, tens()?)?),
        ),
        ("tv1d", Box::new(Tv1d::new(1.0)?)),
        ("tv1d-strong", Box::new(Tv1d::new(100.0)?)),
        ("fused", Box::new(Fused::new(0.1, 1.0)?)),
        ("slope", Box::new(Slope::new(linear)?)),
        ("oscar", Box::new(Oscar::new(0.0, 2e-6)?)),
    ])
}

/// Standard normal numbers by the sum of twelve uniform ones.
fn normal(count: usize) -> Vec<f64> {
    let mut random = Pcg64::seed_from_u64(1);
    (0..count)
        .map(|_| (0..12).map(|_| random.random_range(-0.5..0.5)).sum())
        .collect()
}

fn bench(criterion: &mut Criterion) {
    let y = normal(N);
    let mut group = criterion.benchmark_group("prox");
    group
        .throughput(Throughput::Elements(N as u64))
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500));
    for (name, operator) in operators().expect("the parameters are in range") {
        group.bench_function(name, |bencher| {
            bencher.iter_batched_ref(
                || y.clone(),
                |x| operator.prox(x, 1.0),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
