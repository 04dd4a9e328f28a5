//! The Wright function ω(a), the w > 0 with w + log w = a, behind the proxes of the entropies.
//!
//! F. Fritsch, R. Shafer, W. Crowley, "Solution of the transcendental equation w·e^w = x", 1973: a step of fourth order. The
//! function has no overflow where e^a has, unlike Lambert's W(e^a), to which it is equal. There are no branches and no calls,
//! so that loops over it vectorize.

use std::f64::consts::{LN_2, LOG2_E};

/// Where ω is 0 or a itself in double precision.
const TINY: f64 = -708.0;
const HUGE: f64 = 1e20;

/// The z ≥ 0 with s·(log z − c) + z = t, which is s·ω(t/s + offset) with `offset` = c − log s; max(t, 0) for s = 0.
#[inline(always)]
pub(crate) fn scaled_omega(t: f64, s: f64, offset: f64) -> f64 {
    let a = t / s + offset;
    let w = if a < TINY { 0.0 } else { omega(a) };
    // Beyond this the logarithm is below the last digit of t.
    if s == 0.0 || a > HUGE {
        t.max(0.0)
    } else {
        s * w
    }
}

/// ω(a) for a from −708 to 1e20.
#[inline(always)]
fn omega(a: f64) -> f64 {
    // Each within 8 % where it is used.
    let small = rough_exp(a) / (1.0 + rough_exp(a));
    let d = a - 1.0;
    let middle = 1.0 + d * (0.5 + d * (1.0 / 16.0 - d / 192.0));
    let log = rough_ln(a);
    let large = a - log + log / a;
    let w = if a < 4.0 { middle } else { large };
    // Fourth order: 8 % becomes 4e-5, and that nothing.
    nearer(a, nearer(a, if a < -1.0 { small } else { w }))
}

/// One step from w towards ω(a).
#[inline(always)]
fn nearer(a: f64, w: f64) -> f64 {
    let residual = a - w - ln(w);
    let denominator = 2.0 * (1.0 + w) * (1.0 + w + 2.0 / 3.0 * residual);
    let change = residual * (denominator - residual) / ((1.0 + w) * (denominator - 2.0 * residual));
    w + w * change
}

/// log x for a normal x > 0: x = 2^k·m with m from √½ to √2, and log m = 2 artanh((m − 1)/(m + 1)) by its series.
#[inline(always)]
fn ln(x: f64) -> f64 {
    // 1023 + k in the exponent's place.
    let scale = x
        .to_bits()
        .wrapping_sub(std::f64::consts::FRAC_1_SQRT_2.to_bits())
        .wrapping_add(1.0f64.to_bits())
        >> 52;
    let k = f64::from_bits(scale | TWO_52.to_bits()) - (TWO_52 + 1023.0);
    let m = f64::from_bits(
        x.to_bits()
            .wrapping_sub(scale << 52)
            .wrapping_add(1.0f64.to_bits()),
    );
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    let mut series = 0.0;
    for term in 0..10 {
        series = square * (1.0 / f64::from(21 - 2 * term) + series);
    }
    // ln 2 in two parts, of which the first has so few digits that its product with k is exact.
    k * LN_2_HIGH + (2.0 * s + (2.0 * s * series + k * LN_2_LOW))
}

const TWO_52: f64 = 4_503_599_627_370_496.0;
const LN_2_HIGH: f64 = f64::from_bits(LN_2.to_bits() & !0xffff_ffff);
const LN_2_LOW: f64 = 4.749_325_039_031_672_6e-7;

/// e^a within 4 %, with a straight line for the digits after the exponent.
#[inline(always)]
fn rough_exp(a: f64) -> f64 {
    let exponent = a * LOG2_E + (1023.0 - 0.043);
    f64::from_bits((exponent * 1_048_576.0 + TWO_52).to_bits() << 32)
}

/// log x within 0.03, likewise.
#[inline(always)]
fn rough_ln(x: f64) -> f64 {
    let exponent = f64::from_bits(x.to_bits() >> 32 | TWO_52.to_bits()) - TWO_52;
    (exponent * (1.0 / 1_048_576.0) - (1023.0 - 0.043)) * LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_its_equation_everywhere() {
        let mut a = -39.0;
        while a < 50.0 {
            let w = omega(a);
            let residual = w + w.ln() - a;
            assert!(residual.abs() <= 1e-15 * (1.0 + w.max(a.abs())), "{a}: {w}");
            a += 0.01;
        }
        for a in [1e3, 1e8, 1e15, 1e19] {
            let w = omega(a);
            assert!((w + w.ln() - a).abs() <= 4e-16 * a, "{a}: {w}");
        }
        // The last digit of a shows in w.
        assert!((omega(-700.0) / (-700f64).exp() - 1.0).abs() < 2e-13);
        assert_eq!(omega(1.0), 1.0);
    }

    #[test]
    fn logarithms_are_right_to_the_last_digits() {
        let mut x = 1e-307;
        while x < 1e300 {
            let error = (ln(x) - x.ln()).abs();
            assert!(error <= 4e-16 * x.ln().abs().max(f64::EPSILON), "{x}");
            x *= 1.007;
        }
        assert_eq!(ln(1.0), 0.0);
    }

    #[test]
    fn survives_extreme_parameters() {
        let at = |t: f64, s: f64| scaled_omega(t, s, -1.0 - s.ln());
        assert_eq!(at(3.0, 0.0), 3.0);
        assert_eq!(at(-3.0, 0.0), 0.0);
        assert_eq!(at(1e100, 1e-250), 1e100);
        assert_eq!(at(-1e100, 1e-250), 0.0);
        assert!(at(1.0, 1e300) > 0.0);
        assert_eq!(at(-1e9, 1.0), 0.0);
    }
}
