//! Slips of the keyboard: the name that was probably meant.

/// `; did you mean 'NAME'?` if one of the names is close to the word, else nothing.
pub(crate) fn did_you_mean<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let distances = names.into_iter().map(|name| (edits(name, word), name));
    // A third of the letters may be wrong, two in a short word.
    let close = (word.chars().count() / 3).max(2);
    match distances.min().filter(|(distance, _)| *distance <= close) {
        Some((_, name)) => format!("; did you mean '{name}'?"),
        None => String::new(),
    }
}

/// How many letters must be changed, added or dropped to turn one word into the other (Levenshtein 1966).
pub(crate) fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &to) in b.iter().enumerate() {
            let change = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognized_and_other_words_are_not() {
        let names = ["auto", "random", "nndsvd", "nndsvda"];
        for (word, meant) in [("nnsdvd", "nndsvd"), ("randm", "random"), ("auot", "auto")] {
            assert_eq!(
                did_you_mean(word, names),
                format!("; did you mean '{meant}'?")
            );
        }
        assert_eq!(did_you_mean("faces/start", names), "");
    }

    #[test]
    fn edits_are_counted() {
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("same", "same"), 0);
    }
}
