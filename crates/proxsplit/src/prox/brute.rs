//! Scalar penalties against brute force.

use crate::Separable;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// On every interval and for every step, no point of a dense grid has a lower objective than `prox_between`, and the prox
/// of vectors is as good as that of entries.
pub(crate) fn grid<G: Separable<f64> + Separable<f32>>(g: &G) {
    let mut random = Pcg64::seed_from_u64(5);
    for case in 0..1500 {
        let t: f64 = random.random_range(-6.0..6.0);
        let t = if case % 9 == 0 { t.round() } else { t };
        let step = 10f64.powf(random.random_range(-2.0..2.0));
        let (a, b): (f64, f64) = (
            random.random_range(-4.0..4.0),
            random.random_range(-4.0..4.0),
        );
        let bounds = match case % 6 {
            0 => (f64::NEG_INFINITY, f64::INFINITY),
            1 => (a, f64::INFINITY),
            2 => (f64::NEG_INFINITY, b),
            3 => (a.min(0.0), 0.0),
            4 => (a, a),
            _ => (a.min(b), a.max(b)),
        };
        scalar(g, t, step, bounds);
    }
}

fn scalar<G: Separable<f64> + Separable<f32>>(g: &G, t: f64, step: f64, bounds: (f64, f64)) {
    let (low, high) = (bounds.0.max(-8.0), bounds.1.min(8.0));
    let objective = |z: f64| Separable::<f64>::value_at(g, 0, z) + (z - t) * (z - t) / (2.0 * step);
    let p: f64 = g.prox_between(0, t, step, bounds);
    let reached = objective(p);
    let slack = 1e-12 * (1.0 + reached.abs());
    assert!(bounds.0 <= p && p <= bounds.1, "{p} is outside {bounds:?}");
    for i in 0..=2000 {
        let share = f64::from(i) / 2000.0;
        for z in [low + share * (high - low), p + (share - 0.5) * 1e-2] {
            let rival = objective(z.clamp(low, high));
            assert!(
                rival >= reached - slack,
                "t = {t}, step = {step}, {bounds:?}: {z} is better than {p}"
            );
        }
    }
    let rounded: f32 = g.prox_between(0, t as f32, step as f32, (bounds.0 as f32, bounds.1 as f32));
    let single = objective(f64::from(rounded));
    assert!(
        single <= reached + 1e-5 * (1.0 + (t * t + p * p) / step),
        "f32: {rounded}, not {p}"
    );
    if bounds.0 == f64::NEG_INFINITY && bounds.1 == f64::INFINITY {
        let mut x = [t; 3];
        g.prox(&mut x, step);
        assert!(x.iter().all(|&x| objective(x) <= reached + slack));
    }
}
