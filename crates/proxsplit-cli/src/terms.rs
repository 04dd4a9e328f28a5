//! Penalties and sets in text form.

use proxsplit::text::Operator;

/// Joins a penalty and a set; `zero` if there is neither.
pub(crate) fn join(
    penalty: Option<&Operator>,
    set: Option<&Operator>,
) -> Result<Operator, proxsplit::Error> {
    let parts = [penalty, set].into_iter().flatten();
    let parts = parts.map(ToString::to_string).filter(|part| part != "zero");
    let text = parts.collect::<Vec<_>>().join("+");
    if text.is_empty() {
        "zero".parse()
    } else {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn penalties_and_sets_are_joined() {
        let (l1, nonneg): (Operator, Operator) =
            ("l1:1".parse().unwrap(), "nonneg".parse().unwrap());
        let joined = |penalty, set| join(penalty, set).unwrap().to_string();
        assert_eq!(joined(Some(&l1), Some(&nonneg)), "l1:1+nonneg");
        assert_eq!(joined(None, Some(&nonneg)), "nonneg");
        assert_eq!(joined(Some(&l1), None), "l1:1");
        let zero: Operator = "zero".parse().unwrap();
        assert_eq!(joined(Some(&l1), Some(&zero)), "l1:1");
        assert_eq!(joined(None, None), "zero");
    }
}
