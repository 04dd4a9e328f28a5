//! The binary from outside: what it prints, what it writes, how it ends.

mod after;
mod bench;
mod factorize;
mod kill;
mod prox;
mod refuse;
mod shell;
mod solve;
