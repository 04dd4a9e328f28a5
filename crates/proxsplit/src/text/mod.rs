//! The text forms of operators: `l1:0.1+nonneg`, read and printed.
