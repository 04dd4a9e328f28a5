//! The whole catalogue, read, printed and held to the contract; messages; joins.

use super::*;
use crate::calculus::Rule;
use crate::check::contract;
use crate::{Class, Prox};
use proptest::prelude::*;

fn read(text: &str) -> Operator {
    text.parse().unwrap()
}

fn cause(text: &str) -> String {
    let error = text.parse::<Operator>().unwrap_err().to_string();
    let start = format!("cannot read operator '{text}': ");
    error.strip_prefix(&start).unwrap().to_string()
}

#[test]
fn every_example_keeps_the_contract_and_says_its_class() {
    for entry in catalogue() {
        let g = read(entry.example);
        assert_eq!(g.to_string(), entry.example);
        let fits = |len: &usize| Prox::<f64>::fits(&g, *len).is_ok();
        contract(&g, (1..=6).rev().find(fits).unwrap());
        let class = match Prox::<f64>::class(&g) {
            Class::Convex => "convex",
            Class::WeaklyConvex { .. } => "weakly convex",
            Class::Nonconvex => "nonconvex",
        };
        assert_eq!(class, entry.class, "{entry}");
        assert_eq!(
            Prox::<f64>::form(&g).is_set(),
            entry.role == Role::Set,
            "{entry}"
        );
        assert!(entry.arguments.is_empty() || entry.to_string().contains(':'));
    }
    assert_eq!(catalogue().count(), 39);
}

#[test]
fn every_convex_operator_but_2d_variation_has_a_conjugate() {
    let known = |text: &str| {
        let g = read(text);
        let fits = |len: &usize| Prox::<f64>::fits(&g, *len).is_ok();
        let zero = vec![0.0; (1..=6).rev().find(fits).unwrap()];
        let (value, polar) = (g.conjugate(&zero), g.polar(&zero));
        assert_eq!(value.is_some(), polar.is_some(), "{text}");
        value.is_some()
    };
    for entry in catalogue().filter(|entry| entry.class == "convex") {
        let variation = entry.name.starts_with("tv2d");
        assert_eq!(known(entry.example), !variation, "{entry}");
    }
    for joined in [
        "l1:0.5+nonneg",
        "l1:0.5+box:-1,2",
        "l1:0.5+sql2:1+nonneg",
        "l2:0.5+nonneg",
        "group-l2:0.5,3+nonneg",
        "l2:0.5+sql2:1",
        "nuclear:0.5,2x3+sql2:1",
        "tv1d:1+l2-ball:1",
        "oscar:0.3,0.1+nonneg",
    ] {
        assert!(known(joined), "{joined}");
    }
}

#[test]
fn a_factor_on_the_weights_is_a_factor_on_every_convex_penalty() {
    for entry in catalogue().filter(|entry| entry.class == "convex") {
        let g = read(entry.example);
        let Some(len) = (1..=6)
            .rev()
            .find(|&len| Prox::<f64>::fits(&g, len).is_ok())
        else {
            panic!("{entry} fits no length");
        };
        let x: Vec<f64> = (0..len)
            .map(|i| 0.3 + (i as f64 * 1.3).sin().abs())
            .collect();
        let (once, tripled) = (g.value(&x), g.weighted(3.0).unwrap().value(&x));
        let expected = if once.is_finite() { 3.0 * once } else { once };
        let close = tripled == expected || (tripled - expected).abs() <= 1e-12 * expected.abs();
        assert!(close, "{entry}: {once} becomes {tripled}");
    }
}

#[test]
fn every_pair_is_exact_or_convex_or_refused_and_never_wrong() {
    for a in catalogue() {
        for b in catalogue() {
            let text = format!("{}+{}", a.example, b.example);
            let Ok(g) = text.parse::<Operator>() else {
                assert!(a.class != "convex" || b.class != "convex", "{text}");
                continue;
            };
            assert_eq!(g.to_string(), text);
            let len = if text.contains("psd") { 4 } else { 6 };
            if g.rules().iter().all(|rule| rule.is_exact()) && Prox::<f64>::fits(&g, len).is_ok() {
                for seed in 0..6 {
                    let entry = |i: usize| 2.0 * ((7 * seed + i as u64) as f64 * 1.3).sin();
                    let y: Vec<f64> = (0..len).map(entry).collect();
                    let outcome = crate::check::prox_at(&g, &y, 0.7, seed);
                    outcome.unwrap_or_else(|failure| panic!("{text}: {failure}"));
                }
            }
        }
    }
}

#[test]
fn spaces_signs_and_exponents_are_read() {
    for (text, printed) in [
        (" l1 : 0.10 + nonneg ", "l1:0.1+nonneg"),
        ("l1:1e+5+nonneg", "l1:100000+nonneg"),
        ("l1:+.5", "l1:0.5"),
        ("box:-inf,+inf", "box:-inf,inf"),
        ("l1:1e-9+box:-1,1+sum:0", "l1:1e-9+box:-1,1+sum:0"),
        ("lp:1,1/2", "lp:1,1/2"),
        ("nuclear: 2, 3 x 4", "nuclear:2,3x4"),
    ] {
        assert_eq!(read(text).to_string(), printed);
        assert_eq!(read(text), read(printed));
    }
}

#[test]
fn messages_say_what_to_write() {
    for (text, expected) in [
        (
            "",
            "a part is empty; write name:argument,argument and join parts by +",
        ),
        (
            "l1:1+",
            "a part is empty; write name:argument,argument and join parts by +",
        ),
        ("bax:0,1", "there is no operator 'bax'; did you mean 'box'?"),
        (
            "nonegative",
            "there is no operator 'nonegative'; did you mean 'nonneg'?",
        ),
        (
            "nonnegative",
            "there is no operator 'nonnegative'; did you mean 'nonneg'?",
        ),
        (
            "hexadecimal:1",
            "there is no operator 'hexadecimal'; the catalogue lists all operators",
        ),
        (
            "scad:1",
            "'scad' takes 2 arguments, as in scad:W,A, but there are 1",
        ),
        (
            "nonneg:1",
            "'nonneg' takes 0 arguments, as in nonneg, but there are 1",
        ),
        ("l1", "'l1' takes 1 argument, as in l1:W, but there are 0"),
        (
            "l1:abc",
            "W of l1:W is 'abc', but it must be a finite number",
        ),
        (
            "l1:nan",
            "W of l1:W is 'nan', but it must be a finite number",
        ),
        (
            "l1:1e999",
            "W of l1:W is '1e999', but it must be a finite number",
        ),
        (
            "box:nan,1",
            "L of box:L,U is 'nan', but it must be a number, -inf or inf",
        ),
        (
            "group-l2:1,2.5",
            "S of group-l2:W,S is '2.5', but it must be a whole number",
        ),
        (
            "rank:1,3x0",
            "RxC of rank:W,RxC is '3x0', but it must be rows x columns, as in 3x4",
        ),
        (
            "lp:1,0.7",
            "P of lp:W,P is '0.7', but it must be 1/2 or 2/3",
        ),
        ("l1:-1", "weight = -1, but it must be finite and at least 0"),
    ] {
        assert_eq!(cause(text), expected);
    }
    let refused = cause("l0:1+simplex:1");
    assert!(refused.starts_with("'l0:1' is not convex, and no rule combines it with 'simplex:1'."));
    assert!(cause("l1:1+l1:1+l1:1+l1:1+l1:1+l1:1+l1:1").starts_with("it has 7 parts"));
}

#[test]
fn joins_look_for_an_exact_order() {
    for (text, rules) in [
        ("l1:0.1+nonneg", vec![Rule::Clamp]),
        (
            "l1:0.1+nonneg+sparse-ball:2",
            vec![Rule::LargestFirst, Rule::ProjectFirst],
        ),
        (
            "tv1d:1+l1:1+nonneg",
            vec![Rule::SeparableLast, Rule::SeparableLast],
        ),
        ("l1:1+nonneg+sum:1", vec![Rule::Clamp, Rule::SumMultiplier]),
        ("group-l2:1,2+monotone", vec![Rule::Dykstra]),
        ("tv2d:1,2x3+nonneg", vec![Rule::Dykstra]),
        ("tv2d-aniso:1,2x3+nonneg", vec![Rule::SeparableLast]),
        ("zero+soc", vec![Rule::Alone]),
    ] {
        assert_eq!(read(text).rules(), rules, "{text}");
    }
    contract(&read("l1:0.1+nonneg+sparse-ball:2"), 4);
    contract(&read("tv1d:0.5+l1:0.2+nonneg"), 4);
}

proptest! {
    #[test]
    fn printing_reads_back(a in any::<f64>(), b in 0.0..1e300f64, rows in 1usize..99, cols in 1usize..99) {
        let number = |value: f64| if value.is_finite() { value } else { 1.5 };
        let texts = [
            format!("sum:{}", number(a)),
            format!("elastic:{b:e},{}", b * 1e-310),
            format!("nuclear:{b},{rows}x{cols}"),
            format!("box:-inf,{}", number(a)),
            format!("group-l2:{b},{rows}+nonneg"),
        ];
        for text in texts {
            let once = read(&text);
            let twice = read(&once.to_string());
            prop_assert_eq!(once.to_string(), twice.to_string());
            let x = vec![1.25; rows * cols];
            prop_assert_eq!(Prox::<f64>::value(&once, &x), Prox::<f64>::value(&read(&text), &x));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[a-z0-9:,+./ -]{0,30}") {
        let _ = text.parse::<Operator>();
    }
}

/// The page of the book says what the code says.
#[test]
fn the_book_lists_every_operator_and_every_rule() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/operators.md");
    let page = std::fs::read_to_string(path).unwrap();
    for entry in catalogue() {
        let formula = entry.formula.replace('|', "\\|");
        let start = format!("| `{entry}` | {formula} | ");
        let row = page.lines().find(|line| line.starts_with(&start));
        let row = row.unwrap_or_else(|| panic!("no row starts with {start}"));
        assert!(row.ends_with(&format!("| {} |", entry.class)), "{row}");
    }
    let (tables, joins) = page.split_once("## What `+` does").unwrap();
    assert_eq!(tables.matches("\n| `").count(), catalogue().count());
    let rules = [
        Rule::Alone,
        Rule::Ridge,
        Rule::Clamp,
        Rule::Between,
        Rule::ProjectFirst,
        Rule::SeparableLast,
        Rule::Shrink,
        Rule::BallMultiplier,
        Rule::Stretch,
        Rule::SumMultiplier,
        Rule::LargestFirst,
        Rule::SparseSimplex,
        Rule::SoftFirst,
        Rule::Dykstra,
    ];
    assert_eq!(rules.len(), Rule::Dykstra as usize + 1);
    for rule in rules {
        assert!(joins.contains(&format!("| {rule} |\n")), "{rule}");
    }
}
