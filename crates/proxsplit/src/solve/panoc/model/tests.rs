use super::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const DIM: usize = 7;

/// Pairs of a quadratic, more than are remembered, a point and slopes there.
struct Case {
    memory: Memory<f64>,
    x: [f64; DIM],
    near: Bounded,
}

impl Case {
    fn new(seed: u64, reach: f64) -> Self {
        let mut random = Pcg64::seed_from_u64(seed);
        let mut vector =
            || -> [f64; DIM] { std::array::from_fn(|_| random.random_range(-1.0..1.0)) };
        let factor: [[f64; DIM]; DIM] = std::array::from_fn(|_| vector());
        let mut memory = Memory::new(DIM);
        for _ in 0..=seed % 13 {
            let (from, to) = (vector(), vector());
            let moved: [f64; DIM] = std::array::from_fn(|i| to[i] - from[i]);
            let inner = factor.map(|row| vec::dot(&row, &moved));
            let change: [f64; DIM] =
                std::array::from_fn(|i| (0..DIM).map(|k| factor[k][i] * inner[k]).sum());
            memory.learn((&from, &to), |i| change[i]);
        }
        let x = vector();
        let low = x.iter().zip(vector()).map(|(x, r)| x - reach * r.abs());
        let high = x.iter().zip(vector()).map(|(x, r)| x + reach * r.abs());
        let near = Bounded {
            low: low.collect(),
            high: high.collect(),
            slopes: vector().to_vec(),
        };
        Self { memory, x, near }
    }

    /// ⟨c, d⟩ + ½⟨d, Bd⟩ of the way to z, with the B that the model says it has.
    fn value(&self, model: &Model<f64>, z: &[f64]) -> f64 {
        let d: Vec<f64> = z.iter().zip(&self.x).map(|(z, x)| z - x).collect();
        vec::dot(&self.near.slopes, &d) + 0.5 * vec::dot(&d, &self.times(model, &d))
    }

    fn times(&self, model: &Model<f64>, d: &[f64]) -> Vec<f64> {
        let mut products = [0.0; 2 * PAIRS];
        for (i, d) in d.iter().enumerate() {
            add(&mut products, *d, &model.row(&self.memory, i));
        }
        let entry = |(i, d): (usize, &f64)| {
            model.theta * d + product(&model.row(&self.memory, i), &products)
        };
        d.iter().enumerate().map(entry).collect()
    }

    /// When the bent path is at the Cauchy point: by an entry that is on no bound, or when the last one meets its own.
    fn time(&self, model: &Model<f64>) -> f64 {
        let near = &self.near;
        let inside = (0..DIM).find(|&i| near.is_inside(i, model.cauchy[i]));
        let meets = (0..DIM).map(|i| near.meets(i, self.x[i]));
        inside.map_or_else(
            || meets.fold(0.0, f64::max),
            |i| (self.x[i] - model.cauchy[i]) / near.slopes[i],
        )
    }

    fn bent(&self, time: f64) -> Vec<f64> {
        let near = &self.near;
        (0..DIM)
            .map(|i| (self.x[i] - time * near.slopes[i]).clamp(near.low[i], near.high[i]))
            .collect()
    }
}

/// B is the inverse of the matrix that the two loops of L-BFGS apply, and without bounds its minimizer is their direction.
#[test]
fn without_bounds_it_is_the_direction_of_l_bfgs() {
    for seed in 0..40 {
        let case = Case::new(seed, f64::INFINITY);
        let mut model = Model::new(DIM);
        model.fit(&case.memory);
        let mut q = case.near.slopes.clone();
        case.memory.apply(&mut q, 1.0);
        let back = case.times(&model, &q);
        assert!(
            vec::distance(&back, &case.near.slopes) < 1e-6 * vec::norm(&q),
            "{seed}"
        );
        let mut out = [0.0; DIM];
        model.minimize(&case.memory, &case.x, &case.near, &mut out);
        let wanted: Vec<f64> = case.x.iter().zip(&q).map(|(x, q)| x - q).collect();
        assert!(
            vec::distance(&out, &wanted) < 1e-6 * vec::norm(&q),
            "{seed}: {out:?} {wanted:?}"
        );
    }
}

/// The Cauchy point is the first minimum along the bent path; beyond it, entries on bounds stay, and over the others the model is least
/// unless bounds are in the way.
#[test]
fn between_bounds_it_is_below_the_first_minimum_along_the_path() {
    let mut inside = 0;
    for seed in 0..200 {
        let case = Case::new(seed, 0.3);
        let mut model = Model::new(DIM);
        model.fit(&case.memory);
        let mut out = [0.0; DIM];
        model.minimize(&case.memory, &case.x, &case.near, &mut out);
        let time = case.time(&model);
        assert!(
            vec::distance(&case.bent(time), &model.cauchy) < 1e-9,
            "{seed}"
        );
        let value = |part: f64| case.value(&model, &case.bent(part * time));
        for step in 0..100 {
            let (here, next) = (0.01 * f64::from(step), 0.01 * f64::from(step + 1));
            assert!(value(next) < value(here), "{seed}: it falls all the way");
        }
        assert!(value(1.0 + 1e-4) >= value(1.0) - 1e-12, "{seed}: and ends");
        let d: Vec<f64> = out.iter().zip(&case.x).map(|(z, x)| z - x).collect();
        let bend = case.times(&model, &d);
        let mut is_least = true;
        for (i, &to) in out.iter().enumerate() {
            assert!((case.near.low[i]..=case.near.high[i]).contains(&to));
            if !case.near.is_inside(i, model.cauchy[i]) {
                assert_eq!(to, model.cauchy[i]);
            } else if !case.near.is_inside(i, to) {
                is_least = false;
            }
        }
        if is_least {
            inside += 1;
            for i in (0..DIM).filter(|&i| case.near.is_inside(i, out[i])) {
                assert!(
                    (case.near.slopes[i] + bend[i]).abs() < 1e-7,
                    "{seed}: entry {i}"
                );
            }
        }
    }
    assert!(inside > 50, "only {inside} cases without bounds in the way");
}
