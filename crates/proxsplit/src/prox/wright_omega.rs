//! The Wright function ω(a), the w > 0 with w + log w = a, behind the proxes of the entropies.
//!
//! F. Fritsch, R. Shafer, W. Crowley, "Solution of the transcendental equation w·e^w = x", 1973: a step of fourth order. The
//! function has no overflow where e^a has, unlike Lambert's W(e^a), to which it is equal.

/// The z ≥ 0 with s·(log z − c) + z = t, which is s·ω(t/s − log s + c); max(t, 0) for s = 0.
pub(crate) fn scaled_omega(t: f64, s: f64, c: f64) -> f64 {
    let a = t / s - s.ln() + c;
    // Beyond this the logarithm is below the last digit of t.
    if s == 0.0 || a > 1e20 {
        return t.max(0.0);
    }
    s * omega(a)
}

fn omega(a: f64) -> f64 {
    // Here w = e^a(1 − e^a + …) to the last digit.
    if a < -40.0 {
        return a.exp();
    }
    let mut w = if a < -1.5 {
        a.exp()
    } else if a < 4.0 {
        let d = a - 1.0;
        1.0 + d * (0.5 + d * (1.0 / 16.0 - d / 192.0))
    } else {
        a - a.ln()
    };
    for _ in 0..3 {
        let residual = a - w - w.ln();
        let denominator = 2.0 * (1.0 + w) * (1.0 + w + 2.0 / 3.0 * residual);
        let ratio = (denominator - residual) / (denominator - 2.0 * residual);
        let change = residual / (1.0 + w) * ratio;
        w += w * change;
        if change.abs() < 1e-5 {
            // The next change is of the order of this one to the fourth power.
            break;
        }
    }
    w
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
        assert_eq!(omega(-700.0), (-700f64).exp());
        assert_eq!(omega(-1e9), 0.0);
        assert_eq!(omega(1.0), 1.0);
    }

    #[test]
    fn survives_extreme_parameters() {
        assert_eq!(scaled_omega(3.0, 0.0, -1.0), 3.0);
        assert_eq!(scaled_omega(-3.0, 0.0, -1.0), 0.0);
        assert_eq!(scaled_omega(1e100, 1e-250, -1.0), 1e100);
        assert_eq!(scaled_omega(-1e100, 1e-250, -1.0), 0.0);
        assert!(scaled_omega(1.0, 1e300, -1.0) > 0.0);
    }
}
