//! Numbers that bound something, in few digits: rounded to the side on which what is said of them stays true.

/// A number that is not below `value`, with so many digits after the point: `1.24e-3` for 0.001234.
pub(crate) fn at_most(value: f64, digits: usize) -> String {
    rounded(value, digits, |shown| shown < value, 1.0)
}

/// A number that is not above `value`.
pub(crate) fn at_least(value: f64, digits: usize) -> String {
    rounded(value, digits, |shown| shown > value, -1.0)
}

fn rounded(value: f64, digits: usize, is_wrong: impl Fn(f64) -> bool, by: f64) -> String {
    let text = format!("{value:.digits$e}");
    let parts = text.split_once('e');
    let parts = parts.and_then(|(m, e)| Some((m.parse::<f64>().ok()?, e.parse::<i32>().ok()?)));
    match (parts, text.parse()) {
        (Some((mantissa, exponent)), Ok(shown)) if is_wrong(shown) => {
            let next = mantissa + by * 0.1_f64.powi(i32::try_from(digits).unwrap_or(0));
            let next = format!("{next:.digits$}e{exponent}");
            // A mantissa of 10 is one of 1.
            next.parse::<f64>()
                .map_or(next, |next| format!("{next:.digits$e}"))
        }
        _ => text,
    }
}

/// A fraction in percent that is not below it.
pub(crate) fn percent_at_most(fraction: f64) -> String {
    let percent = 100.0 * fraction;
    if percent == 0.0 {
        "0 %".into()
    } else if (0.01..1e3).contains(&percent) {
        format!("{:.2} %", (100.0 * percent).ceil() / 100.0)
    } else if (1e3..1e6).contains(&percent) {
        format!("{:.0} %", percent.ceil())
    } else {
        format!("{} %", at_most(percent, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_rounded_to_their_side() {
        assert_eq!(at_most(1.234e-3, 2), "1.24e-3");
        assert_eq!(at_most(1.23e-3, 2), "1.23e-3");
        assert_eq!(at_most(9.999, 2), "1.00e1");
        assert_eq!(at_most(-1.239, 2), "-1.23e0");
        assert_eq!(at_least(1.239e200, 2), "1.23e200");
        assert_eq!(at_least(0.0, 2), "0.00e0");
        assert_eq!(at_most(f64::INFINITY, 2), "inf");
        for k in 0..2000 {
            let value = 10f64.powf(0.31 * f64::from(k) - 290.0) * (1.0 + f64::from(k).sin().abs());
            assert!(
                at_most(value, 2).parse::<f64>().unwrap() >= value,
                "{value:e}"
            );
            assert!(
                at_least(value, 2).parse::<f64>().unwrap() <= value,
                "{value:e}"
            );
        }
    }

    #[test]
    fn fractions_are_told_in_percent() {
        assert_eq!(percent_at_most(0.121_218), "12.13 %");
        assert_eq!(percent_at_most(13.387), "1339 %");
        assert_eq!(percent_at_most(1.21e-9), "1.3e-7 %");
        assert_eq!(percent_at_most(2.345e8), "2.4e10 %");
        assert_eq!(percent_at_most(0.0), "0 %");
    }
}
