//! Every rule against the definition, against Dykstra splitting, and against a dense grid where it is not convex.

use super::*;
use crate::calculus::{Dykstra, Shifted};
use crate::check::{contract, prox_at, vector};
use crate::linalg::vec::distance;
use crate::prox::*;
use crate::set::*;
use proptest::prelude::*;

fn both<P: Prox<f64>, S: Prox<f64>>(psi: P, set: S, rule: Rule) -> Constrained<P, S> {
    let both = Constrained::new(psi, set).unwrap();
    assert_eq!(both.rule(), rule);
    both
}

fn groups() -> GroupL2 {
    GroupL2::new(0.8, Groups::of_size(2).unwrap()).unwrap()
}

/// The rule's prox is what Dykstra splitting converges to.
fn as_dykstra<P: Prox<f64>, S: Prox<f64>>(psi: P, set: S, rule: Rule) {
    let g = both(&psi, &set, rule);
    let terms: Vec<&dyn Prox> = vec![&psi, &set];
    let split = Dykstra::new(terms).unwrap().until(1e-13, 100_000).unwrap();
    let config = ProptestConfig {
        cases: 40,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let entries = prop::collection::vec(-3.0..3.0f64, 6);
    proptest!(config, |(y in entries, step in 0.1..3.0f64)| {
        let (mut a, mut b) = (y.clone(), y);
        g.prox(&mut a, step);
        let reached = split.solve(&mut b, step);
        prop_assert!(distance(&a, &b) <= 1e-6, "{:?} {:?} {:?}", a, b, reached);
    });
}

/// No point of a fine grid is better than the rule's prox, in two dimensions.
fn beats_the_grid<P: Prox<f64>, S: Prox<f64>>(g: &Constrained<P, S>) {
    for k in 0..40 {
        let angle = f64::from(k);
        let y = [2.5 * angle.sin(), 2.0 * (1.7 * angle).cos()];
        for step in [0.2, 1.0, 2.5] {
            let objective = |z: &[f64]| g.value(z) + distance(z, &y).powi(2) / (2.0 * step);
            let mut p = y;
            g.prox(&mut p, step);
            let reached = objective(&p);
            for i in -60..=60 {
                for j in -60..=60 {
                    let z = [f64::from(i) / 20.0, f64::from(j) / 20.0];
                    assert!(objective(&z) >= reached - 1e-12, "{y:?} {step} {p:?} {z:?}");
                }
            }
        }
    }
}

#[test]
fn a_box_after_or_inside_a_separable_term() {
    let by = vec![1.0, -0.5, 0.0, 2.0];
    let shifted = || Shifted::new(L1::new(1.0).unwrap(), by.clone()).unwrap();
    contract(&both(shifted(), NonNeg, Rule::Clamp), 4);
    contract(&both(NonNeg, L1::new(0.5).unwrap(), Rule::Clamp), 4);
    contract(
        &both(BoxSet::new(-1.0, 0.5).unwrap(), NonNeg, Rule::Clamp),
        4,
    );
    contract(
        &both(
            Entropy::new(0.5).unwrap(),
            BoxSet::new(0.1, 0.6).unwrap(),
            Rule::Clamp,
        ),
        4,
    );
    let unit = BoxSet::new(-1.0, 1.0).unwrap();
    contract(&both(Scad::new(0.8, 3.7).unwrap(), unit, Rule::Between), 3);
    contract(&both(L0::new(0.5).unwrap(), NonNeg, Rule::Between), 3);
    contract(&both(Mcp::new(0.7, 2.0).unwrap(), NonNeg, Rule::Between), 3);
    contract(&both(Binary, unit, Rule::Between), 3);
    for sign in [-1.0, 1.0] {
        let off = BoxSet::new(0.3 * sign - 0.1, 0.3 * sign + 0.4).unwrap();
        beats_the_grid(&both(Scad::new(0.8, 3.7).unwrap(), off, Rule::Between));
        beats_the_grid(&both(L0::new(0.5).unwrap(), off, Rule::Between));
        beats_the_grid(&both(CappedL1::new(0.9, 0.5).unwrap(), off, Rule::Between));
    }
}

#[test]
fn the_counter_example_to_projecting_first() {
    let far = Shifted::new(L1::new(1.0).unwrap(), vec![1.0]).unwrap();
    let mut x = [-1.0];
    both(far, NonNeg, Rule::Clamp).prox(&mut x, 1.0);
    assert_eq!(x, [0.0]);
}

#[test]
fn the_orthant_before_an_absolute_term() {
    contract(&both(groups(), NonNeg, Rule::ProjectFirst), 6);
    contract(
        &both(NonNeg, L1Ball::new(1.5).unwrap(), Rule::ProjectFirst),
        5,
    );
    contract(
        &both(CardinalityBall::new(2), NonNeg, Rule::ProjectFirst),
        5,
    );
    as_dykstra(groups(), NonNeg, Rule::ProjectFirst);
    as_dykstra(Linf::new(1.2).unwrap(), NonNeg, Rule::ProjectFirst);
    as_dykstra(Oscar::new(0.3, 0.2).unwrap(), NonNeg, Rule::ProjectFirst);
    as_dykstra(L1Ball::new(1.5).unwrap(), NonNeg, Rule::ProjectFirst);
    let sparse = SparseGroup::new(0.2, 0.6, Groups::of_size(3).unwrap()).unwrap();
    as_dykstra(sparse, NonNeg, Rule::ProjectFirst);
    beats_the_grid(&both(CardinalityBall::new(1), NonNeg, Rule::ProjectFirst));
}

#[test]
fn a_separable_term_after_an_ordered_one() {
    let tv = Tv1d::new(0.7).unwrap();
    contract(&both(tv, NonNeg, Rule::SeparableLast), 6);
    as_dykstra(tv, NonNeg, Rule::SeparableLast);
    as_dykstra(tv, L1::new(0.3).unwrap(), Rule::SeparableLast);
    as_dykstra(Huber::new(0.8, 0.6).unwrap(), tv, Rule::SeparableLast);
    as_dykstra(
        Monotone,
        BoxSet::new(-0.5, 1.0).unwrap(),
        Rule::SeparableLast,
    );
    let fused = Fused::new(0.3, 0.5).unwrap();
    as_dykstra(fused, BoxSet::new(0.4, 1.0).unwrap(), Rule::SeparableLast);
    as_dykstra(fused, Huber::new(0.8, 0.6).unwrap(), Rule::Dykstra);
}

#[test]
fn a_soft_threshold_comes_before_terms_of_the_sizes() {
    let l1 = L1::new(0.4).unwrap();
    let ball = L1Ball::new(1.5).unwrap();
    contract(&both(l1, ball, Rule::SoftFirst), 5);
    contract(&both(groups(), l1, Rule::SoftFirst), 4);
    as_dykstra(ball, l1, Rule::SoftFirst);
    as_dykstra(l1, groups(), Rule::SoftFirst);
    as_dykstra(l1, Linf::new(0.9).unwrap(), Rule::SoftFirst);
    as_dykstra(l1, Huber::new(0.8, 0.6).unwrap(), Rule::SoftFirst);
    let weights = WeightedL1::new(vec![0.1, 0.9, 0.0, 0.5, 2.0, 0.3]).unwrap();
    as_dykstra(&weights, ball, Rule::SoftFirst);
    // A term that moves zeros is none of these.
    let shifted = Shifted::new(ball, vec![0.2; 6]).unwrap();
    as_dykstra(l1, shifted, Rule::Dykstra);
}

#[test]
fn a_ridge_shortens_the_step() {
    let ridge = SquaredL2::new(1.5).unwrap();
    contract(&both(groups(), ridge, Rule::Ridge), 4);
    contract(&both(ridge, L0::new(0.5).unwrap(), Rule::Ridge), 4);
    contract(&both(Simplex::new(1.0).unwrap(), ridge, Rule::Ridge), 4);
    beats_the_grid(&both(Scad::new(0.8, 3.7).unwrap(), ridge, Rule::Ridge));
    let flat = both(Scad::new(0.8, 3.7).unwrap(), ridge, Rule::Ridge);
    assert_eq!(Prox::<f64>::class(&flat), Class::Convex);
}

#[test]
fn balls_and_spheres() {
    let ball = L2Ball::new(1.1).unwrap();
    contract(&both(NonNeg, ball, Rule::Shrink), 4);
    contract(
        &both(
            ElasticNet::new(0.3, 0.8).unwrap(),
            ball,
            Rule::BallMultiplier,
        ),
        4,
    );
    contract(
        &both(BoxSet::new(-0.4, 1.0).unwrap(), ball, Rule::BallMultiplier),
        4,
    );
    as_dykstra(L1::new(0.5).unwrap(), ball, Rule::Shrink);
    as_dykstra(Tv1d::new(0.7).unwrap(), ball, Rule::Shrink);
    as_dykstra(
        ElasticNet::new(0.3, 0.8).unwrap(),
        ball,
        Rule::BallMultiplier,
    );
    as_dykstra(Simplex::new(1.5).unwrap(), ball, Rule::BallMultiplier);
    beats_the_grid(&both(CardinalityBall::new(1), ball, Rule::Shrink));
    let sphere = || Sphere::new(1.0).unwrap();
    let g = both(NonNeg, sphere(), Rule::Stretch);
    contract(&g, 3);
    beats_the_circle(&g);
    beats_the_circle(&both(L1::new(0.8).unwrap(), sphere(), Rule::Stretch));
    beats_the_circle(&both(CardinalityBall::new(1), sphere(), Rule::LargestFirst));
}

/// No point of the unit circle is better than the rule's prox.
fn beats_the_circle<P: Prox<f64>, S: Prox<f64>>(g: &Constrained<P, S>) {
    for k in 0..60 {
        let y = [1.5 * f64::from(k).sin(), (1.7 * f64::from(k)).cos()];
        let objective = |z: &[f64]| g.value(z) + distance(z, &y).powi(2) / 2.0;
        let mut p = y;
        g.prox(&mut p, 1.0);
        for degree in 0..360 {
            let (sin, cos) = f64::from(degree).to_radians().sin_cos();
            // Exact zeros on the axes, for the sparse ones.
            let exact = |t: f64| if t.abs() < 1e-12 { 0.0 } else { t };
            assert!(
                objective(&[exact(cos), exact(sin)]) >= objective(&p) - 1e-12,
                "{y:?} {p:?}"
            );
        }
    }
}

#[test]
fn sums_by_their_multiplier() {
    let simplex = Simplex::new(1.5).unwrap();
    contract(
        &both(L1::new(0.5).unwrap(), simplex, Rule::SumMultiplier),
        4,
    );
    contract(
        &both(Entropy::new(0.5).unwrap(), simplex, Rule::SumMultiplier),
        4,
    );
    as_dykstra(
        Huber::new(1.0, 0.4).unwrap(),
        SumTo::new(2.0).unwrap(),
        Rule::SumMultiplier,
    );
    as_dykstra(
        BoxSet::new(0.0, 0.6).unwrap(),
        SumTo::new(2.0).unwrap(),
        Rule::SumMultiplier,
    );
    let budget = both(NonNeg, SumTo::new(1.5).unwrap(), Rule::SumMultiplier);
    assert_eq!(Prox::<f64>::form(&budget), Prox::<f64>::form(&simplex));
    let mut a = [0.9, -0.2, 2.0, 0.8];
    let mut b = a;
    budget.prox(&mut a, 1.0);
    simplex.prox(&mut b, 1.0);
    assert!(distance(&a, &b) < 1e-14);
}

/// At the optimum W(log x_i + 1) + (x_i − y_i)/η is the same number for all i.
#[test]
fn entropy_on_the_simplex_satisfies_its_optimality_conditions() {
    let g = both(
        Entropy::new(0.5).unwrap(),
        Simplex::new(1.5).unwrap(),
        Rule::SumMultiplier,
    );
    let y: [f64; 4] = [0.3, 2.0, -1.0, 0.0];
    let mut x = y;
    g.prox(&mut x, 0.8);
    let multiplier = |i: usize| 0.5 * (x[i].ln() + 1.0) + (x[i] - y[i]) / 0.8;
    for i in 0..4 {
        assert!((multiplier(i) - multiplier(0)).abs() < 1e-12, "{x:?}");
    }
    assert!((x.iter().sum::<f64>() - 1.5).abs() < 1e-14);
}

#[test]
fn few_nonzeros() {
    let two = CardinalityBall::new(2);
    contract(&both(L1::new(0.5).unwrap(), two, Rule::LargestFirst), 4);
    contract(&both(two, Linf::new(0.9).unwrap(), Rule::LargestFirst), 4);
    contract(
        &both(Simplex::new(1.5).unwrap(), two, Rule::SparseSimplex),
        4,
    );
    for y in [[1.0, 2.0, 3.0], [-1.0, -0.1, -0.2], [0.4, 0.4, 0.4]] {
        let pick = both(
            Simplex::new(1.0).unwrap(),
            CardinalityBall::new(1),
            Rule::SparseSimplex,
        );
        prox_at(&pick, &y, 1.0, 5).unwrap();
    }
}

#[test]
fn nested_sets_keep_their_rules() {
    let nonneg_l1 = Constrained::new(L1::new(0.3).unwrap(), NonNeg).unwrap();
    contract(&both(nonneg_l1, L2Ball::new(1.0).unwrap(), Rule::Shrink), 4);
    contract(
        &both(nonneg_l1, SumTo::new(1.0).unwrap(), Rule::SumMultiplier),
        4,
    );
    contract(
        &both(nonneg_l1, BoxSet::new(-1.0, 0.5).unwrap(), Rule::Clamp),
        4,
    );
    let rising = Constrained::new(Monotone, NonNeg).unwrap();
    as_dykstra(rising, L2Ball::new(1.0).unwrap(), Rule::Shrink);
    let both_bounds = Constrained::new(rising, BoxSet::new(-1.0, 0.5).unwrap()).unwrap();
    assert_eq!(both_bounds.rule(), Rule::SeparableLast);
}

#[test]
fn refuses_what_it_cannot_compute() {
    let l0 = L0::new(1.0).unwrap();
    assert!(Constrained::new(l0, Simplex::new(1.0).unwrap()).is_err());
    assert!(Constrained::new(Sphere::new(1.0).unwrap(), groups()).is_err());
    let apart = Constrained::new(Simplex::new(1.0).unwrap(), L2Ball::new(0.1).unwrap()).unwrap();
    let refusal = Prox::<f64>::fits(&apart, 5).unwrap_err().to_string();
    assert!(
        refusal.starts_with("the terms have no common point of length 5"),
        "{refusal}"
    );
    assert!(Prox::<f64>::fits(&apart, 100).is_ok());
    let empty = Constrained::new(
        BoxSet::new(0.0, 1.0).unwrap(),
        BoxSet::new(2.0, 3.0).unwrap(),
    );
    assert!(Prox::<f64>::fits(&empty.unwrap(), 1).is_err());
}

proptest! {
    #[test]
    fn a_separable_pair_stays_separable(y in vector(3), step in 0.1..3.0f64) {
        let g = Constrained::new(L0::new(0.5).unwrap(), BoxSet::new(-1.0, 2.0).unwrap()).unwrap();
        let g = Constrained::new(g, SquaredL2::new(0.7).unwrap()).unwrap();
        let mut x = y.clone();
        g.prox(&mut x, step);
        let entries = Prox::<f64>::separable(&g).unwrap();
        for (i, (&x, &y)) in x.iter().zip(&y).enumerate() {
            let z = entries.prox_between(i, y, step, (f64::NEG_INFINITY, f64::INFINITY));
            prop_assert!((x - z).abs() <= 1e-12 * y.abs());
        }
    }
}
