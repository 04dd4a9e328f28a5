//! `2..20`, `2..20:3`, `2,4,8`: the ranks to try.

use std::fmt;
use std::str::FromStr;

/// Ranks in increasing order, with the text that asked for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ranks {
    pub(crate) ranks: Vec<usize>,
    text: String,
}

/// More ranks than this are a slip.
const MOST: usize = 10_000;

impl FromStr for Ranks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut ranks = Vec::new();
        for part in text.split(',') {
            ranks.extend(range(part)?);
        }
        ranks.sort_unstable();
        ranks.dedup();
        Ok(Self {
            ranks,
            text: text.to_owned(),
        })
    }
}

/// `4`, `2..20` (both ends are tried) or `2..20:3`.
fn range(part: &str) -> Result<Vec<usize>, String> {
    let number = |text: &str| match text.trim().parse::<usize>() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(format!(
            "'{text}' is not a rank: write 2..20, 2..20:3 or 2,4,8"
        )),
    };
    let Some((first, rest)) = part.split_once("..") else {
        return Ok(vec![number(part)?]);
    };
    let (last, step) = rest.split_once(':').unwrap_or((rest, "1"));
    let (first, last, step) = (number(first)?, number(last)?, number(step)?);
    if first > last {
        return Err(format!("'{part}' is empty: write the smaller rank first"));
    }
    if (last - first) / step >= MOST {
        return Err(format!(
            "'{part}' has more than {MOST} ranks: use a shorter range, or a step as in 2..20:3"
        ));
    }
    Ok((first..=last).step_by(step).collect())
}

impl fmt::Display for Ranks {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::Ranks;

    #[test]
    fn ranks_are_read() {
        let ranks = |text: &str| text.parse::<Ranks>().map(|ranks| ranks.ranks);
        assert_eq!(ranks("2..5"), Ok(vec![2, 3, 4, 5]));
        assert_eq!(ranks("2..9:3"), Ok(vec![2, 5, 8]));
        assert_eq!(ranks("8, 2,4..5,4"), Ok(vec![2, 4, 5, 8]));
        for bad in [
            "",
            "0",
            "5..2",
            "2..",
            "a",
            "2..9:0",
            "1..99999999",
            "-1",
            "2...5",
        ] {
            assert!(ranks(bad).is_err(), "{bad}");
        }
    }
}
