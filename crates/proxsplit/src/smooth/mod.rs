//! Smooth terms f, one file each.
