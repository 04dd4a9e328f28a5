use super::*;
use crate::check::contract;
use crate::linalg::vec::{distance, norm};
use crate::prox::{L1, L2};
use crate::set::{Hyperplane, L2Ball, NonNeg, Simplex};

fn terms(list: Vec<Box<dyn Prox>>) -> Dykstra<Box<dyn Prox>> {
    Dykstra::new(list).unwrap()
}

#[test]
fn keeps_the_contract() {
    let l1 = |w| L1::new(w).unwrap();
    contract(&Dykstra::new(vec![l1(0.3), l1(0.5), l1(0.0)]).unwrap(), 4);
}

/// prox of ‖x‖₂ + ‖x‖₁ is known: soft thresholding, then shrinking.
#[test]
fn the_accuracy_bounds_the_true_distance() {
    let (l1, l2) = (L1::new(0.4).unwrap(), L2::new(0.9).unwrap());
    let y: Vec<f64> = (0..30).map(|i| 2.0 * f64::from(i).sin()).collect();
    let mut exact = y.clone();
    l1.prox(&mut exact, 1.0);
    l2.prox(&mut exact, 1.0);
    for rounds in 1..20 {
        let both = terms(vec![Box::new(l1), Box::new(l2)])
            .until(1e-15, rounds)
            .unwrap();
        let mut x = y.clone();
        let Accuracy::Distance(bound) = both.solve(&mut x, 1.0).accuracy else {
            panic!("both terms are finite everywhere");
        };
        assert!(distance(&x, &exact) <= bound + 1e-14);
    }
}

#[test]
fn three_sets_meet() {
    let sets = terms(vec![
        Box::new(L2Ball::new(0.7).unwrap()),
        Box::new(Simplex::new(1.0).unwrap()),
        Box::new(NonNeg),
    ]);
    let mut x = [2.0, 0.3, -1.0, 0.1];
    let reached = sets.solve(&mut x, 1.0);
    assert!(reached.converged, "{reached:?}");
    assert!((norm(&x) - 0.7).abs() < 1e-7);
    crate::check::prox_at(&sets, &[2.0, 0.3, -1.0, 0.1], 1.0, 3).unwrap();
}

#[test]
fn sets_without_a_common_point_are_told() {
    let sets = terms(vec![
        Box::new(L2Ball::new(0.1).unwrap()),
        Box::new(Simplex::new(1.0).unwrap()),
    ]);
    let sets = sets.until(1e-8, 50).unwrap();
    let reached = sets.solve(&mut [1.0, 2.0], 1.0);
    assert!(!reached.converged);
    assert!(Prox::<f64>::fits(&sets, 2).is_err());
    let Accuracy::Infeasibility(distance) = reached.accuracy else {
        panic!("there is no feasible point");
    };
    assert!(distance > 0.5);
}

#[test]
fn refuses_nonconvex_terms() {
    let l0 = crate::prox::L0::new(1.0).unwrap();
    assert_eq!(
        Dykstra::new(vec![l0]).unwrap_err().to_string(),
        "term 0 is not convex: Dykstra splitting is for convex terms"
    );
}

/// Two lines through 0 at a small angle: their only common point is 0, far from what the iteration reaches.
#[test]
fn nearly_parallel_planes_are_not_said_to_be_met() {
    for angle in [1e-4, 1e-6, 1e-8, 1e-10, 1e-12] {
        let plane = |slope: f64| Hyperplane::new(vec![slope, 1.0], 0.0).unwrap();
        let planes = Dykstra::new(vec![plane(0.0), plane(angle)]).unwrap();
        let mut x = [1.0, 1.0];
        let error = planes.prox_with_error(&mut x, 1.0);
        assert!(
            error.is_none_or(|error| norm(&x) <= error),
            "{angle}: {error:?}, {x:?}"
        );
    }
}

/// The bound against the exact projection on two planes, which is that on their intersection.
#[test]
fn the_bound_holds_for_planes_at_any_angle() {
    for k in 0..30 {
        let normal = |shift: f64| -> Vec<f64> {
            (0..4)
                .map(|i| (f64::from(k) + shift * f64::from(i + 1)).cos())
                .collect()
        };
        let (a, b) = (normal(1.0), normal(1.0 + 10f64.powi(-(k % 10))));
        let both = crate::linalg::Mat::from_fn(2, 4, |i, j| [&a, &b][i][j]);
        let exact = crate::set::AffineSet::new(&both, &[0.3, 0.3]);
        let planes = Dykstra::new(vec![
            Hyperplane::new(a, 0.3).unwrap(),
            Hyperplane::new(b, 0.3).unwrap(),
        ])
        .unwrap();
        let y = [0.5, -1.0, 2.0, 0.3];
        let (mut x, mut truth) = (y, y);
        let error = planes.prox_with_error(&mut x, 1.0);
        exact.unwrap().prox(&mut truth, 1.0);
        assert!(error.is_none_or(|error| distance(&x, &truth) <= error + 1e-12));
    }
}

/// A sum never returns a point that it calls infinite itself.
#[test]
fn every_result_has_a_finite_value() {
    for text in [
        "entropy:0.5+l1-ball:1.2",
        "l1-ball:1+sum:0.5",
        "monotone+soc",
        "soc+sum:1",
        "l1-ball:1+monotone",
        "monotone+simplex:1",
        "psd:2+sum:1",
        "nuclear:1,2x2+simplex:1",
    ] {
        let g: crate::text::Operator = text.parse().unwrap();
        for seed in 0..200 {
            let scale = 10f64.powi(seed % 5 - 2);
            let y: Vec<f64> = (0..4)
                .map(|i| scale * f64::from(37 * seed + i).sin())
                .collect();
            let mut x = y.clone();
            g.prox(&mut x, 0.7);
            assert!(g.value(&x).is_finite(), "{text}: {y:?} gives {x:?}");
            let mut single: Vec<f32> = y.iter().map(|&y| y as f32).collect();
            g.prox(&mut single, 0.7);
            assert!(
                g.value(&single).is_finite(),
                "{text}: {y:?} gives {single:?}"
            );
        }
    }
}
