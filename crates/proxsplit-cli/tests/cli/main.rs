//! The binary from outside: what it prints, what it writes, how it ends.

mod bench;
mod prox;
mod shell;
mod solve;
