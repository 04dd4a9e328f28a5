//! The sets of the catalogue.

use super::argument::Argument;
use super::catalogue::{Build, Entry, Role, made};
use crate::set::{
    Binary, BoxSet, BoxSum, CardinalityBall, L1Ball, L2Ball, LinfBall, Monotone, NonNeg, Psd,
    RankBall, SecondOrderCone, Simplex, Sphere, SumTo,
};

const L: Argument = Argument::Bound("L");
const U: Argument = Argument::Bound("U");
const B: Argument = Argument::Number("B");
const R: Argument = Argument::Number("R");
const K: Argument = Argument::Count("K");
const CONVEX: &str = "convex";
const NONCONVEX: &str = "nonconvex";

const fn set(
    name: &'static str,
    arguments: &'static [Argument],
    (formula, class): (&'static str, &'static str),
    example: &'static str,
    build: Build,
) -> Entry {
    Entry {
        name,
        arguments,
        formula,
        role: Role::Set,
        class,
        example,
        build,
    }
}

pub(super) static SETS: &[Entry] = &[
    set("nonneg", &[], ("x ≥ 0", CONVEX), "nonneg", |_| {
        made(Ok(NonNeg))
    }),
    set(
        "box",
        &[L, U],
        ("L ≤ x ≤ U", CONVEX),
        "box:-1,inf",
        |v| made(BoxSet::new(v.number(0), v.number(1))),
    ),
    set(
        "binary",
        &[],
        ("x ∈ {0,1}ⁿ", NONCONVEX),
        "binary",
        |_| made(Ok(Binary)),
    ),
    set(
        "simplex",
        &[R],
        ("x ≥ 0, Σx = R", CONVEX),
        "simplex:1",
        |v| made(Simplex::new(v.number(0))),
    ),
    set(
        "l1-ball",
        &[R],
        ("‖x‖₁ ≤ R", CONVEX),
        "l1-ball:1",
        |v| made(L1Ball::new(v.number(0))),
    ),
    set(
        "l2-ball",
        &[R],
        ("‖x‖₂ ≤ R", CONVEX),
        "l2-ball:1",
        |v| made(L2Ball::new(v.number(0))),
    ),
    set(
        "linf-ball",
        &[R],
        ("‖x‖_∞ ≤ R", CONVEX),
        "linf-ball:1",
        |v| made(LinfBall::new(v.number(0))),
    ),
    set(
        "sphere",
        &[R],
        ("‖x‖₂ = R", NONCONVEX),
        "sphere:1",
        |v| made(Sphere::new(v.number(0))),
    ),
    set("sum", &[B], ("Σx = B", CONVEX), "sum:1", |v| {
        made(SumTo::new(v.number(0)))
    }),
    set(
        "box-sum",
        &[L, U, B],
        ("L ≤ x ≤ U, Σx = B", CONVEX),
        "box-sum:0,0.5,1",
        |v| made(BoxSum::new(v.number(0), v.number(1), v.number(2))),
    ),
    set(
        "monotone",
        &[],
        ("x₁ ≤ x₂ ≤ …", CONVEX),
        "monotone",
        |_| made(Ok(Monotone)),
    ),
    set(
        "soc",
        &[],
        ("(t, z) with ‖z‖₂ ≤ t, t first", CONVEX),
        "soc",
        |_| made(Ok(SecondOrderCone)),
    ),
    set(
        "psd",
        &[Argument::Count("N")],
        ("symmetric positive semidefinite N×N matrices", CONVEX),
        "psd:2",
        |v| made(Ok(Psd::new(v.count(0)))),
    ),
    set(
        "sparse-ball",
        &[K],
        ("at most K nonzeros", NONCONVEX),
        "sparse-ball:2",
        |v| made(Ok(CardinalityBall::new(v.count(0)))),
    ),
    set(
        "rank-ball",
        &[K, Argument::Shape],
        ("rank ≤ K", NONCONVEX),
        "rank-ball:1,2x3",
        |v| made(Ok(RankBall::new(v.count(0), v.shape(1).0, v.shape(1).1))),
    ),
];
