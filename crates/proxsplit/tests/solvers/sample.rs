//! Problems that the tests share.

use proxsplit::data::{Dense, Elements, Matrix, StorageOrder};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A regression problem: rows of a matrix and targets from a sparse truth plus noise.
pub(crate) struct Sample {
    rows: usize,
    cols: usize,
    pub(crate) design: Vec<f64>,
    design_f32: Vec<f32>,
    pub(crate) targets: Vec<f64>,
}

impl Sample {
    pub(crate) fn new(rows: usize, cols: usize, seed: u64) -> Self {
        let mut random = Pcg64::seed_from_u64(seed);
        let design: Vec<f64> = (0..rows * cols)
            .map(|_| random.random_range(-1.0..1.0))
            .collect();
        let truth: Vec<f64> = (0..cols)
            .map(|j| {
                if j % 3 == 0 {
                    random.random_range(-2.0..2.0)
                } else {
                    0.0
                }
            })
            .collect();
        let targets = (0..rows)
            .map(|i| {
                let row = &design[i * cols..(i + 1) * cols];
                let fit: f64 = row.iter().zip(&truth).map(|(a, x)| a * x).sum();
                fit + random.random_range(-0.1..0.1)
            })
            .collect();
        let design_f32 = design.iter().map(|&a| a as f32).collect();
        Self {
            rows,
            cols,
            design,
            design_f32,
            targets,
        }
    }

    pub(crate) fn matrix(&self) -> Matrix<'_> {
        Dense::new(
            self.rows,
            self.cols,
            StorageOrder::RowMajor,
            Elements::F64(&self.design),
        )
        .unwrap()
        .into()
    }

    /// The same numbers, rounded.
    pub(crate) fn matrix_f32(&self) -> Matrix<'_> {
        Dense::new(
            self.rows,
            self.cols,
            StorageOrder::RowMajor,
            Elements::F32(&self.design_f32),
        )
        .unwrap()
        .into()
    }

    /// ±1 by the sign of the targets.
    pub(crate) fn labels(&self) -> Vec<f64> {
        self.targets
            .iter()
            .map(|&b| if b < 0.0 { -1.0 } else { 1.0 })
            .collect()
    }
}

/// Several starting points of size about 1.
pub(crate) fn starts(len: usize, count: u64) -> impl Iterator<Item = Vec<f64>> {
    (0..count).map(move |seed| {
        let mut random = Pcg64::seed_from_u64(1000 + seed);
        (0..len).map(|_| random.random_range(-1.0..1.0)).collect()
    })
}

pub(crate) fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b) * (a - b))
        .sum::<f64>()
        .sqrt()
}
