use super::*;
use crate::check::contract;
use crate::linalg::vec::{distance, norm};
use crate::prox::{L1, L2};
use crate::set::{L2Ball, NonNeg, Simplex};

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
