//! Operators made of operators: blocks, columns, scaled, shifted, conjugate, with a set.
