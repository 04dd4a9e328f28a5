//! The commands, one file each.

pub(crate) mod check;
pub(crate) mod encode;
pub(crate) mod factorize;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod prox;
pub(crate) mod rank;
pub(crate) mod report;
pub(crate) mod solve;
