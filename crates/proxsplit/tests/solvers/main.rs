//! What solvers promise, tested on real runs: one file a problem or a statement.
#![allow(clippy::unwrap_used)] // A failed set-up is a failed test.

mod claims;
mod convex;
mod curvature;
mod default_steps;
mod early_stopped;
mod equivalences;
mod error_floor;
mod families;
mod following;
mod gap;
mod inequalities;
mod inexact;
mod lasso;
mod lemmas;
mod nonconvex;
mod sample;
mod samples;
mod special_cases;
mod stopped_prox;
#[path = "../smooth/storages.rs"]
mod storages;
mod units;
mod working_set;
mod working_set_common;
mod working_set_odd;
mod working_set_sparse;
