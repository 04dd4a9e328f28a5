//! The binary from outside: what it prints, what it writes, how it ends.
#![allow(clippy::unwrap_used)] // A failed set-up is a failed test.

mod after;
mod bench;
#[cfg(unix)]
mod book;
mod factorize;
mod graphs;
mod honest;
mod kill;
mod labels;
mod loss;
mod missing;
mod overwrite;
mod prox;
mod rank;
mod reading;
mod refuse;
mod shell;
mod solve;
mod weights;
