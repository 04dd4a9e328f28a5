//! Smooth terms against their definitions.
#![allow(clippy::unwrap_used)] // A failed set-up is a failed test.

mod input;
mod lipschitz;
mod losses;
mod storages;
