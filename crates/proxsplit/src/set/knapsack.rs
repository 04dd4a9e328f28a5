//! max ⟨s, z⟩ over l ≤ z ≤ u, aᵀz = b: the support function of a box cut by a hyperplane.
//!
//! By duality it is the least value over ν of νb + Σ_i max(l_i(s_i − νa_i), u_i(s_i − νa_i)), a convex function that bends
//! only at the ν = s_i/a_i: its minimum is at one of them, found by bisection of the sorted list.

use super::multiplier::Entry;
use crate::{Real, dual, scratch};

/// The support function, where `entry(i)` has s_i for its y. A gain s_i − νa_i within the rounding of s, which would count
/// infinitely at an infinite bound, is none.
pub(super) fn support<T: Real>(len: usize, entry: impl Fn(usize) -> Entry, total: f64) -> f64 {
    scratch::with(len, |bends: &mut [f64]| {
        let mut count = 0;
        for at in (0..len).map(&entry).filter(|at| at.a != 0.0) {
            bends[count] = at.y / at.a;
            count += 1;
        }
        let bends = &mut bends[..count];
        bends.sort_unstable_by(f64::total_cmp);
        let value = |nu: f64| {
            let terms = (0..len).map(|i| best::<T>(&entry(i), nu));
            nu * total + terms.sum::<f64>()
        };
        // Falling to the right of a bend means that the minimum lies beyond it.
        let falls = |nu: f64| slope(len, &entry, nu, total) < 0.0;
        let first = bends.partition_point(|&nu| falls(nu));
        let near = [first.wrapping_sub(1), first, first + 1];
        let candidates = near.iter().filter_map(|&k| bends.get(k));
        let least = candidates.fold(f64::INFINITY, |least, &nu| least.min(value(nu)));
        if count == 0 { value(0.0) } else { least }
    })
}

/// max over l ≤ z ≤ u of (s − νa)z
fn best<T: Real>(at: &Entry, nu: f64) -> f64 {
    let gain = at.y - nu * at.a;
    let z = if gain > 0.0 { at.upper } else { at.lower };
    if z.is_infinite() && gain.abs() <= dual::rounding::<T>(at.y.abs()) {
        return 0.0;
    }
    if gain == 0.0 { 0.0 } else { gain * z }
}

/// The slope of the dual function just right of ν: b − aᵀz, where entries at their bend have turned; −∞ where ν is too small
/// for an infinite bound, +∞ where it is too large.
fn slope(len: usize, entry: impl Fn(usize) -> Entry, nu: f64, total: f64) -> f64 {
    let mut slope = total;
    for at in (0..len).map(entry).filter(|at| at.a != 0.0) {
        let beyond = nu >= at.y / at.a;
        let z = if beyond == (at.a > 0.0) {
            at.lower
        } else {
            at.upper
        };
        slope -= at.a * z;
    }
    slope
}
