//! Whether the program says what the page says.
//!
//! Times differ from machine to machine and are not compared. Numbers with a decimal point or an exponent may differ in their last
//! digits, because mathematical libraries do; below 1e-3 in size they are mostly rounding, and only their presence counts.
//! Everything else is compared letter by letter, spaces aside.

/// `Err` with the first line that differs.
pub(super) fn alike(page: &str, program: &str) -> Result<(), String> {
    let (mut told, mut said) = (page.trim_end().lines(), program.trim_end().lines());
    loop {
        match (told.next(), said.next()) {
            (None, None) => return Ok(()),
            (told, said) => {
                let (told, said) = (told.unwrap_or("(nothing)"), said.unwrap_or("(nothing)"));
                if !lines(told, said) {
                    return Err(format!(
                        "  the page says:    {told}\n  the program says: {said}"
                    ));
                }
            }
        }
    }
}

fn lines(one: &str, other: &str) -> bool {
    let (one, other) = (words(one), words(other));
    one.len() == other.len() && one.iter().zip(&other).all(|(a, b)| a == b || close(a, b))
}

/// The words of a line; times are masked, and a line of progress ends before its own.
fn words(line: &str) -> Vec<&str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_time = |at: usize| {
        let unit = words
            .get(at + 1)
            .map(|unit| unit.trim_end_matches([',', ';']));
        words[at].parse::<f64>().is_ok() && matches!(unit, Some("s" | "min" | "h"))
    };
    let mut kept = Vec::new();
    for at in 0..words.len() {
        if !is_time(at) {
            kept.push(words[at]);
        } else if words[0] == "pass" {
            break;
        }
    }
    kept
}

/// Whether both are numbers, and as good as the same.
fn close(one: &str, other: &str) -> bool {
    let bare = |word: &str| {
        let ends: &[char] = &[',', ';', ':', '%', '(', ')'];
        word.trim_matches(ends).to_owned()
    };
    let (one, other) = (bare(one), bare(other));
    if ![&one, &other].iter().all(|word| word.contains(['.', 'e'])) {
        return false;
    }
    match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(a), Ok(b)) => {
            (a - b).abs() <= 2e-3 * a.abs().max(b.abs()) || a.abs().max(b.abs()) < 1e-3
        }
        _ => false,
    }
}

#[test]
fn only_what_a_machine_decides_may_differ() {
    let same = |a, b| alike(a, b).is_ok();
    assert!(same("objective 97.689  0.02 s", "objective 97.688  13.5 s"));
    assert!(same(
        "pass 3  objective 1.5e2  0.1 s",
        "pass 3  objective 1.5e2  2 min 3 s  5 h left"
    ));
    assert!(same("within 4.6e-6 (proved)", "within 7.1e-8 (proved)"));
    assert!(!same("rank 17", "rank 18"));
    assert!(!same("objective 97.689", "objective 96.689"));
    assert!(!same("a word", "another word"));
    assert!(!same("one line", "one line\nand another"));
    assert!(!same("residual 1.5", "residual 2.5"));
}
