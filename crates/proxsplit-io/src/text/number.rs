//! Words and numbers in a line of bytes.

/// Splits off the next word between blanks; `None` at the end of the line.
#[inline]
pub(crate) fn word<'a>(line: &mut &'a [u8]) -> Option<&'a [u8]> {
    let blank = |byte: u8| matches!(byte, b' ' | b'\t');
    let start = line.iter().position(|&byte| !blank(byte))?;
    let rest = &line[start..];
    let end = rest
        .iter()
        .position(|&byte| blank(byte))
        .unwrap_or(rest.len());
    let (word, rest) = rest.split_at(end);
    *line = rest;
    Some(word)
}

/// A whole number ≥ 0 of at most 18 digits.
#[inline]
pub(crate) fn unsigned(word: &[u8]) -> Option<u64> {
    if word.is_empty() || word.len() > 18 {
        return None;
    }
    word.iter().try_fold(0, |value, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then(|| 10 * value + u64::from(digit))
    })
}

/// A number, possibly NaN or infinite; exact to the last bit.
#[inline]
pub(crate) fn number(word: &[u8]) -> Option<f64> {
    // Most numbers are short integers: up to 15 digits are exact without further care.
    match unsigned(word) {
        Some(value) if word.len() <= 15 => Some(value as f64),
        _ => std::str::from_utf8(word).ok()?.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_those_of_the_standard_library(text in "[-+]?[0-9]{0,20}([.][0-9]{0,5})?(e-?[0-9]{1,3})?") {
            let expected: Option<f64> = text.parse().ok();
            prop_assert_eq!(number(text.as_bytes()).map(f64::to_bits), expected.map(f64::to_bits));
        }
    }

    #[test]
    fn words_are_separated_by_any_blanks() {
        let mut line = &b"  1\t\t22 x "[..];
        let words: Vec<_> = std::iter::from_fn(|| word(&mut line)).collect();
        assert_eq!(words, [&b"1"[..], b"22", b"x"]);
        assert_eq!(unsigned(b"-1"), None);
        assert_eq!(unsigned(b"9999999999999999999"), None);
        assert!(number(b"nan").unwrap().is_nan());
        assert_eq!(number(b"1,5"), None);
    }
}
