//! The penalties of the catalogue.

use super::argument::{Argument, Values};
use super::catalogue::{Build, Entry, Role, made};
use crate::Error;
use crate::prox::{
    CappedL1, ElasticNet, Entropy, Fused, GroupL2, GroupLinf, Groups, Huber, L0, L1, L2, Linf,
    LogSum, Lp, Mcp, Nuclear, Oscar, Rank, Scad, SparseGroup, SquaredL2, Tv1d, Tv2d, Tv2dAniso,
    Zero,
};

const W: Argument = Argument::Number("W");
const W1: Argument = Argument::Number("W1");
const W2: Argument = Argument::Number("W2");
const S: Argument = Argument::Count("S");
const SHAPE: Argument = Argument::Shape;
const CONVEX: &str = "convex";
const WEAKLY: &str = "weakly convex";
const NONCONVEX: &str = "nonconvex";

const fn penalty(
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
        role: Role::Penalty,
        class,
        example,
        build,
    }
}

fn groups(values: &Values, i: usize) -> Result<Groups, Error> {
    Groups::of_size(values.count(i))
}

pub(super) static PENALTIES: &[Entry] = &[
    penalty("zero", &[], ("0", CONVEX), "zero", |_| made(Ok(Zero))),
    penalty("l1", &[W], ("W‖x‖₁", CONVEX), "l1:0.5", |v| {
        made(L1::new(v.number(0)))
    }),
    penalty("l2", &[W], ("W‖x‖₂", CONVEX), "l2:0.5", |v| {
        made(L2::new(v.number(0)))
    }),
    penalty("linf", &[W], ("W‖x‖_∞", CONVEX), "linf:0.5", |v| {
        made(Linf::new(v.number(0)))
    }),
    penalty(
        "sql2",
        &[W],
        ("(W/2)‖x‖₂²", CONVEX),
        "sql2:0.5",
        |v| made(SquaredL2::new(v.number(0))),
    ),
    penalty(
        "elastic",
        &[W1, W2],
        ("W1‖x‖₁ + (W2/2)‖x‖₂²", CONVEX),
        "elastic:0.5,1",
        |v| made(ElasticNet::new(v.number(0), v.number(1))),
    ),
    penalty(
        "group-l2",
        &[W, S],
        ("W Σ_G ‖x_G‖₂ over consecutive groups of size S", CONVEX),
        "group-l2:0.5,3",
        |v| made(groups(v, 1).and_then(|g| GroupL2::new(v.number(0), g))),
    ),
    penalty(
        "group-linf",
        &[W, S],
        ("W Σ_G ‖x_G‖_∞ over consecutive groups of size S", CONVEX),
        "group-linf:0.5,3",
        |v| made(groups(v, 1).and_then(|g| GroupLinf::new(v.number(0), g))),
    ),
    penalty(
        "sparse-group",
        &[W1, W2, S],
        (
            "W1‖x‖₁ + W2 Σ_G ‖x_G‖₂ over consecutive groups of size S",
            CONVEX,
        ),
        "sparse-group:0.2,0.5,3",
        |v| made(groups(v, 2).and_then(|g| SparseGroup::new(v.number(0), v.number(1), g))),
    ),
    penalty(
        "nuclear",
        &[W, SHAPE],
        ("W × sum of singular values", CONVEX),
        "nuclear:0.5,2x3",
        |v| made(Nuclear::new(v.number(0), v.shape(1).0, v.shape(1).1)),
    ),
    penalty(
        "tv1d",
        &[W],
        ("W Σ |x_{i+1} − x_i|", CONVEX),
        "tv1d:0.5",
        |v| made(Tv1d::new(v.number(0))),
    ),
    penalty(
        "fused",
        &[W1, W2],
        ("W1‖x‖₁ + W2 Σ |x_{i+1} − x_i|", CONVEX),
        "fused:0.2,0.5",
        |v| made(Fused::new(v.number(0), v.number(1))),
    ),
    penalty(
        "tv2d",
        &[W, SHAPE],
        ("W Σ √(d₁² + d₂²), d the forward differences", CONVEX),
        "tv2d:0.5,2x3",
        |v| made(Tv2d::new(v.number(0), v.shape(1).0, v.shape(1).1)),
    ),
    penalty(
        "tv2d-aniso",
        &[W, SHAPE],
        ("W Σ |d₁| + |d₂|, d the forward differences", CONVEX),
        "tv2d-aniso:0.5,2x3",
        |v| made(Tv2dAniso::new(v.number(0), v.shape(1).0, v.shape(1).1)),
    ),
    penalty(
        "oscar",
        &[W1, W2],
        ("Σ_i (W1 + W2(n−i)) |x|_(i), |x|_(1) ≥ |x|_(2) ≥ …", CONVEX),
        "oscar:0.3,0.1",
        |v| made(Oscar::new(v.number(0), v.number(1))),
    ),
    penalty(
        "huber",
        &[W, Argument::Number("D")],
        (
            "W Σ h(x_i), h(t) = t²/2 if |t| ≤ D, else D|t| − D²/2",
            CONVEX,
        ),
        "huber:0.5,1",
        |v| made(Huber::new(v.number(0), v.number(1))),
    ),
    penalty(
        "entropy",
        &[W],
        ("W Σ x_i log x_i on x ≥ 0", CONVEX),
        "entropy:0.5",
        |v| made(Entropy::new(v.number(0))),
    ),
    penalty(
        "l0",
        &[W],
        ("W × number of nonzeros", NONCONVEX),
        "l0:0.5",
        |v| made(L0::new(v.number(0))),
    ),
    penalty(
        "lp",
        &[W, Argument::Power],
        ("W Σ |x_i|^P, P = 1/2 or 2/3", NONCONVEX),
        "lp:0.5,2/3",
        |v| made(Lp::new(v.number(0), v.power(1))),
    ),
    penalty(
        "scad",
        &[W, Argument::Number("A")],
        (
            "Σ: W|t| if |t| ≤ W; (2AW|t| − t² − W²)/(2(A−1)) if |t| ≤ AW; W²(A+1)/2 beyond; A > 2",
            WEAKLY,
        ),
        "scad:1,3.7",
        |v| made(Scad::new(v.number(0), v.number(1))),
    ),
    penalty(
        "mcp",
        &[W, Argument::Number("G")],
        ("Σ: W|t| − t²/(2G) if |t| ≤ GW; GW²/2 beyond; G > 0", WEAKLY),
        "mcp:0.7,2",
        |v| made(Mcp::new(v.number(0), v.number(1))),
    ),
    penalty(
        "log-sum",
        &[W, Argument::Number("E")],
        ("W Σ log(1 + |x_i|/E), E > 0", WEAKLY),
        "log-sum:0.5,0.5",
        |v| made(LogSum::new(v.number(0), v.number(1))),
    ),
    penalty(
        "capped-l1",
        &[W, Argument::Number("T")],
        ("W Σ min(|x_i|, T), T > 0", NONCONVEX),
        "capped-l1:0.7,1",
        |v| made(CappedL1::new(v.number(0), v.number(1))),
    ),
    penalty(
        "rank",
        &[W, SHAPE],
        ("W × rank", NONCONVEX),
        "rank:0.5,2x3",
        |v| made(Rank::new(v.number(0), v.shape(1).0, v.shape(1).1)),
    ),
];
