//! The book and the README: every transcript is run again, every command line is accepted, every link leads somewhere.
//!
//! `PROXSPLIT_BOOK=write` writes what the program prints today into the pages (`make transcripts`).

mod alike;
mod commands;
mod links;
mod page;
mod transcripts;
