//! Numbers for people.

/// A few significant digits: `0.0123`, `647436`, `3.2e-9`.
pub(crate) fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    if !(1e-4..1e9).contains(&size) {
        return format!("{value:.3e}");
    }
    let decimals = (4 - size.log10().floor() as i32).clamp(0, 8) as usize;
    trimmed(format!("{value:.decimals$}"))
}

/// A tick of an axis whose ticks are `step` apart.
pub(crate) fn with_step(value: f64, step: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let size = value.abs();
    if !(1e-4..1e7).contains(&size) {
        let digits = (size.log10().floor() - step.log10().floor()).clamp(0.0, 9.0) as usize;
        return format!("{value:.digits$e}");
    }
    let decimals = (-(step * 1.000_001).log10().floor()).clamp(0.0, 9.0) as usize;
    grouped(&trimmed(format!("{value:.decimals$}")))
}

/// 10ⁿ with a raised exponent; plain where that is as short.
pub(crate) fn power_of_ten(power: i32) -> String {
    match power {
        0 => "1".to_owned(),
        1 => "10".to_owned(),
        2 => "100".to_owned(),
        -1 => "0.1".to_owned(),
        _ => {
            let digits = power.to_string();
            let raised = digits.chars().map(|digit| match digit {
                '-' => '⁻',
                '1' => '¹',
                '2' => '²',
                '3' => '³',
                '4' => '⁴',
                '5' => '⁵',
                '6' => '⁶',
                '7' => '⁷',
                '8' => '⁸',
                '9' => '⁹',
                _ => '⁰',
            });
            std::iter::once("10".to_owned())
                .chain(raised.map(String::from))
                .collect()
        }
    }
}

/// Seconds as `0.53 s`, `42 s`, `3 min 20 s` or `2 h 5 min`.
pub(crate) fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    if seconds < 10.0 {
        format!("{seconds:.2} s")
    } else if whole < 120 {
        format!("{whole} s")
    } else if whole < 7200 {
        format!("{} min {} s", whole / 60, whole % 60)
    } else {
        format!("{} h {} min", whole / 3600, whole % 3600 / 60)
    }
}

/// The same in few columns: `0.53 s`, `42 s`, `3:20` or `2:05:00`.
pub(crate) fn clock(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    let (hours, minutes, rest) = (whole / 3600, whole % 3600 / 60, whole % 60);
    if whole < 120 {
        duration(seconds)
    } else if hours == 0 {
        format!("{minutes}:{rest:02}")
    } else {
        format!("{hours}:{minutes:02}:{rest:02}")
    }
}

/// A share as a percentage.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

/// A number of things: `1234`, `12 345`.
pub(crate) fn count(things: usize) -> String {
    grouped(&things.to_string())
}

/// A number of things with their name: `1 rank`, `3 ranks`.
pub(crate) fn things(number: usize, name: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{number} {name}{end}")
}

/// Thin spaces between groups of three digits before the point, from 5 digits on.
fn grouped(digits: &str) -> String {
    let (sign, rest) = match digits.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", digits),
    };
    let (whole, fraction) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
    if whole.len() < 5 {
        return digits.to_owned();
    }
    let mut out = sign.to_owned();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push('\u{2009}');
        }
        out.push(digit);
    }
    out + fraction
}

fn trimmed(text: String) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_keep_their_leading_digits() {
        let cases = [
            (0.0, "0"),
            (647_436.25, "647436"),
            (0.012_345_67, "0.012346"),
            (3.2e-9, "3.200e-9"),
            (2.0, "2"),
            (-1.5, "-1.5"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn ticks_have_the_decimals_of_their_step() {
        assert_eq!(with_step(0.25, 0.05), "0.25");
        assert_eq!(with_step(0.2, 0.05), "0.2");
        assert_eq!(with_step(650_000.0, 10_000.0), "650\u{2009}000");
        assert_eq!(with_step(3e8, 1e8), "3e8");
        assert_eq!(with_step(3.5e8, 1e7), "3.5e8");
        assert_eq!(power_of_ten(-12), "10⁻¹²");
    }

    #[test]
    fn durations_use_the_unit_that_fits() {
        assert_eq!(duration(0.5), "0.50 s");
        assert_eq!(duration(200.0), "3 min 20 s");
        assert_eq!(duration(7500.0), "2 h 5 min");
        assert_eq!(clock(0.5), "0.50 s");
        assert_eq!(clock(200.0), "3:20");
        assert_eq!(clock(7505.0), "2:05:05");
    }
}
