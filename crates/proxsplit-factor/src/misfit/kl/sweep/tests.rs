//! Steps against the objective itself.

use super::*;

const TERM: Elementary = Elementary {
    l1: 0.0,
    sql2: 0.3,
    lower: 0.0,
    upper: 2.0,
};

fn objective(y: &[f64], d: &[f64], a: &[f64], sums: &[f64]) -> f64 {
    let linear: f64 = sums.iter().zip(a).map(|(s, a)| s * a + 0.15 * a * a).sum();
    let z = |p: usize| -> f64 {
        a.iter()
            .enumerate()
            .map(|(k, a)| a * d[k * y.len() + p])
            .sum()
    };
    let logs: f64 = y.iter().enumerate().map(|(p, y)| y * z(p).ln()).sum();
    linear - logs
}

#[test]
fn no_step_raises_the_objective_and_the_end_satisfies_the_conditions() {
    let n = 21;
    let mut seed = 7_u64;
    let mut draw = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 40) as f64 / (1_u64 << 24) as f64
    };
    for case in 0..200 {
        let y: Vec<f64> = (0..n).map(|_| 0.01 + 9.0 * draw().powi(3)).collect();
        let d: Vec<f64> = (0..4 * n)
            .map(|_| (draw() - 0.3).max(0.0) * 5.0 + 1e-3)
            .collect();
        let sums: Vec<f64> = d.chunks(n).map(|d| d.iter().sum::<f64>() + 3.0).collect();
        let mut a: Vec<f64> = (0..4).map(|_| 2.0 * draw().powi(4)).collect();
        a[0] = 0.5;
        // Terms of this size cancel in the objective.
        let size: f64 = y.iter().sum();
        let mut last = objective(&y, &d, &a, &sums);
        let other: Vec<f64> = (0..4 * n).map(|at| d[at % 4 * n + at / 4]).collect();
        let indices: Vec<u32> = (0..n as u32).collect();
        let line = Line {
            y: &y,
            indices: &indices,
            other: &other,
        };
        let one = Rounds {
            count: 1,
            sweeps: Effort {
                sweeps: 1,
                tolerance: 0.0,
            },
            gain: 0.0,
            share: 0.0,
        };
        for _ in 0..300 {
            solve(line, (&mut a, &sums), TERM, one);
            let now = objective(&y, &d, &a, &sums);
            assert!(now <= last + 1e-13 * size, "case {case}: {last} to {now}");
            last = now;
        }
        for k in 0..4 {
            let shift = |by: f64| {
                let mut b = a.clone();
                b[k] += by;
                objective(&y, &d, &b, &sums)
            };
            if a[k] > 0.0 && a[k] < 2.0 {
                // The third derivative in log a is at most 2Σy.
                let h = 1e-4 * a[k];
                let slope = (shift(h) - shift(-h)) / 2e-4;
                assert!(
                    slope.abs() < 1e-6 * size,
                    "case {case}: {slope} at {}",
                    a[k]
                );
            } else {
                let inward = if a[k] > 0.0 { -1e-5 } else { 1e-5 };
                assert!(
                    shift(inward) >= last - 1e-12,
                    "case {case}: {inward} lowers"
                );
            }
        }
    }
}
