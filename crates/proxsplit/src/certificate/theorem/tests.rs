use super::super::{Assumption, Curve, Guarantee, OfMethod, Standing, Stretch};
use crate::ledger::{Ledger, Level, Source};
use crate::solve::{Method, Setting};
use crate::{Class, Lipschitz};

/// Exact steps of length 1/L on a convex problem with L = 2.
pub(in crate::certificate) fn plain() -> Setting {
    let mut ledger = Ledger::default();
    ledger.set(Source::Rounding, Level::Estimated(1e-15));
    Setting {
        class: Class::Convex,
        convex: true,
        lipschitz: Lipschitz::Known(2.0),
        steps: Some((0.5, 0.5)),
        method: Method::Splitting,
        vanishing: false,
        square_summable: false,
        adapts: false,
        constant: None,
        ledger,
        assumptions: Vec::new(),
    }
}

fn with(source: Source, level: Level) -> Setting {
    let mut setting = plain();
    setting.ledger.set(source, level);
    setting
}

pub(in crate::certificate) fn of(setting: &Setting) -> OfMethod {
    let stretch = Stretch {
        start_gap: Some(8.0),
        iterations: 4,
        errors: setting.ledger,
    };
    OfMethod::new(setting, &stretch)
}

fn guarantee(setting: &Setting) -> Guarantee {
    of(setting).guarantee
}

fn claims_nothing(setting: &Setting) -> bool {
    matches!(guarantee(setting), Guarantee::None { .. })
}

#[test]
fn a_vanishing_step_makes_only_drift_vanish() {
    let vanishing = |source| Setting {
        vanishing: true,
        square_summable: true,
        ..with(source, Level::Measured(1e-3))
    };
    assert_eq!(
        guarantee(&vanishing(Source::IncrementalDrift)),
        Guarantee::Minimizer
    );
    for source in Source::ALL {
        let claimed = guarantee(&vanishing(source));
        let vanishes = matches!(claimed, Guarantee::Minimizer | Guarantee::Stationary);
        assert_eq!(vanishes, source == Source::IncrementalDrift, "{source}");
    }
    // Where the squares of the steps are not summable, Φ need not converge.
    let slow = Setting {
        square_summable: false,
        ..vanishing(Source::IncrementalDrift)
    };
    assert_eq!(guarantee(&slow), Guarantee::SomeStationary);
    assert!(claims_nothing(&vanishing(Source::Prox)));
}

#[test]
fn steps_are_judged_by_the_range_of_their_class() {
    // L = 2: convex below 1, any below 1/2, weakly convex with modulus 1 below 2/3.
    let weak = Class::WeaklyConvex { modulus: 1.0 };
    let stiff = Class::WeaklyConvex { modulus: 5.0 };
    for (class, limit) in [
        (Class::Convex, 1.0),
        (weak, 2.0 / 3.0),
        (stiff, 0.5),
        (Class::Nonconvex, 0.5),
    ] {
        for (share, holds) in [(0.99, true), (1.0, false), (1.01, false)] {
            let step = share * limit;
            for error in [0.0, 1e-2] {
                let setting = Setting {
                    class,
                    steps: Some((1e-3, step)),
                    ..with(Source::User, Level::Bounded(error))
                };
                assert_eq!(
                    !claims_nothing(&setting),
                    holds,
                    "{class:?} {share} {error}"
                );
                assert_eq!(Curve::of(&setting).is_some(), holds);
            }
        }
    }
}

#[test]
fn the_constants_are_those_of_the_table() {
    let constant = |class, step| {
        let setting = Setting {
            class,
            steps: Some((step, step)),
            ..with(Source::User, Level::Bounded(1e-2))
        };
        let of = of(&setting);
        let Guarantee::Neighbourhood { error, radius } = of.guarantee else {
            panic!("{}", of.guarantee)
        };
        let constant = of.constant.unwrap();
        assert!((radius - constant * error).abs() < 1e-15 && error >= 1e-2);
        constant
    };
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} is not {b}");
    near(constant(Class::Convex, 0.5), 3.0);
    near(constant(Class::Convex, 0.25), 1.0 + 2.0 / 1.5);
    // Beyond 1/L the residual at 1/L may be ηL times that at η.
    near(constant(Class::Convex, 0.75), 1.5 * (1.0 + 2.0 / 0.5));
    near(constant(Class::Nonconvex, 0.25), 1.0 + 2.0 * 1.5 / 0.5);
    let weak = Class::WeaklyConvex { modulus: 1.0 };
    near(constant(weak, 0.5), 1.0 + 2.0 * 2.0 / 0.5);
    // A modulus for which the general row is better.
    let stiff = Class::WeaklyConvex { modulus: 9.0 };
    near(constant(stiff, 0.25), constant(Class::Nonconvex, 0.25));
}

#[test]
fn what_rests_on_an_estimate_says_so() {
    let estimated = Setting {
        lipschitz: Lipschitz::Estimated(2.0),
        ..plain()
    };
    let of_estimate = of(&estimated);
    assert!(
        of_estimate
            .promise()
            .starts_with("if the estimates below hold")
    );
    let step = of_estimate.assumptions[0].to_string();
    assert!(step.ends_with("if L ≤ 2.000e0 (estimated)"), "{step}");
    let rate = |of: &OfMethod| of.rate_in_words().unwrap();
    assert!(rate(&of_estimate).starts_with("if the estimates above hold"));
    assert!(rate(&of(&plain())).starts_with("at least one step"));
    assert_eq!(of(&plain()).promise(), "limit points are minimizers");
    let estimated_error = with(Source::InnerSolve, Level::Estimated(1e-3));
    assert!(
        of(&estimated_error)
            .promise()
            .starts_with("if the estimates")
    );
}

#[test]
fn levels_that_are_no_numbers_are_unknown() {
    for bad in [f64::NAN, f64::INFINITY] {
        for level in [
            Level::Measured(bad),
            Level::Bounded(bad),
            Level::Estimated(bad),
        ] {
            assert_eq!(level.value(), None);
            assert_eq!(level.or_larger(Level::Bounded(1.0)), Level::Unknown);
            assert_eq!(Level::Bounded(1.0).or_larger(level), Level::Unknown);
            for source in Source::ALL {
                assert!(claims_nothing(&with(source, level)), "{source} {level}");
            }
        }
    }
}

#[test]
fn without_a_step_or_an_l_nothing_is_claimed() {
    let nothing = Guarantee::None {
        because: "no step has been made",
    };
    for method in [Method::Splitting, Method::Adaptive] {
        let setting = Setting {
            steps: None,
            method,
            ..plain()
        };
        assert_eq!(guarantee(&setting), nothing);
    }
    for lipschitz in [
        Lipschitz::Unknown,
        Lipschitz::Known(f64::NAN),
        Lipschitz::Known(f64::INFINITY),
    ] {
        let setting = Setting {
            lipschitz,
            ..plain()
        };
        assert!(claims_nothing(&setting), "{lipschitz:?}");
    }
}

#[test]
fn samples_promise_something_in_expectation_only_if_they_are_independent() {
    let sampled = Setting {
        square_summable: true,
        vanishing: true,
        ..with(Source::Sampling, Level::Unknown)
    };
    assert_eq!(guarantee(&sampled), Guarantee::InExpectation);
    assert_eq!(of(&sampled).rate, None);
    let constant = Setting {
        square_summable: false,
        ..sampled.clone()
    };
    assert!(claims_nothing(&constant));
    let nonconvex = Setting {
        class: Class::Nonconvex,
        ..sampled.clone()
    };
    assert!(claims_nothing(&nonconvex));
    let mut dependent = sampled.clone();
    dependent.assumptions.push(Assumption {
        name: "the samples are not independent draws",
        standing: Standing::Violated,
        text: String::new(),
    });
    assert!(claims_nothing(&dependent));
    // All terms at once are no sample.
    let whole = with(Source::Sampling, Level::Bounded(0.0));
    assert_eq!(guarantee(&whole), Guarantee::Minimizer);
}

#[test]
fn line_searches_and_adaptive_steps_are_covered_where_they_are_proved() {
    let by = |method, class, convex| Setting {
        method,
        class,
        convex,
        lipschitz: Lipschitz::Unknown,
        steps: Some((1e-3, 1e3)),
        ..plain()
    };
    let (convex, any) = (Class::Convex, Class::Nonconvex);
    assert_eq!(
        guarantee(&by(Method::Descent, convex, true)),
        Guarantee::Minimizer
    );
    for (class, is_convex) in [(convex, false), (any, true), (any, false)] {
        assert_eq!(
            guarantee(&by(Method::Descent, class, is_convex)),
            Guarantee::Stationary
        );
        assert!(claims_nothing(&by(Method::Adaptive, class, is_convex)));
    }
    assert_eq!(
        guarantee(&by(Method::Adaptive, convex, true)),
        Guarantee::Minimizer
    );
    assert!(claims_nothing(&by(Method::Subgradient, convex, true)));
    // Between two passes without momentum the objective may rise, and nothing is known of what happens there.
    assert_eq!(
        guarantee(&by(Method::Monotone, convex, false)),
        Guarantee::PlainStationary
    );
    // An error that stays: a line search with steps of any length is not bounded by anything.
    for method in [Method::Descent, Method::Adaptive] {
        let mut wrong = by(method, convex, true);
        wrong.ledger.set(Source::User, Level::Bounded(1e-3));
        assert!(claims_nothing(&wrong));
    }
}

#[test]
fn a_stopped_prox_weighs_more_than_an_error_of_the_gradient() {
    let of_prox = guarantee(&with(Source::Prox, Level::Bounded(1e-3)));
    let of_gradient = guarantee(&with(Source::User, Level::Bounded(1e-3)));
    let error = |guarantee| match guarantee {
        Guarantee::Neighbourhood { error, .. } => error,
        other => panic!("{other}"),
    };
    assert!((error(of_prox) / error(of_gradient) - 3.5).abs() < 1e-6);
}

#[test]
fn the_rate_is_that_of_the_theorem() {
    // c = (2 − 1)/(2·0.5) = 1, D/N = 2, ē = 0.1 + rounding.
    let rate = of(&with(Source::User, Level::Bounded(0.1))).rate.unwrap();
    assert!((2.0 * rate - 0.1 - 8.01_f64.sqrt()).abs() < 1e-12);
    let setting = plain();
    let without = |start_gap, iterations| Stretch {
        start_gap,
        iterations,
        errors: setting.ledger,
    };
    assert_eq!(OfMethod::new(&setting, &without(None, 4)).rate, None);
    assert_eq!(OfMethod::new(&setting, &without(Some(1.0), 0)).rate, None);
    let rounded = OfMethod::new(&setting, &without(Some(-1e-18), 4)).rate;
    assert!(rounded.is_some_and(|rate| rate < 1e-14));
}
