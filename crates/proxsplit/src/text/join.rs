//! How the parts of a text form become one operator.

use super::Operator;
use crate::calculus::{Constrained, Dykstra, Rule};
use crate::{Class, Prox};
use std::sync::Arc;

/// More parts than this are refused, since all orders of joining them are looked at.
const MOST: usize = 6;

/// The sum of the parts: by exact rules alone if some order of joining allows it, else by Dykstra splitting of what is left.
pub(super) fn join(parts: Vec<Operator>) -> Result<Operator, String> {
    if parts.len() > MOST {
        let found = parts.len();
        return Err(format!(
            "it has {found} parts, but at most {MOST} can be combined"
        ));
    }
    let text = parts.iter().map(ToString::to_string).collect::<Vec<_>>();
    let (mut left, mut rules) = reduce(parts);
    let whole = if left.len() == 1 {
        left.remove(0).into_term()
    } else {
        let nonconvex = |part: &&Operator| Prox::<f64>::class(*part) != Class::Convex;
        if let Some(part) = left.iter().find(nonconvex) {
            return Err(refusal(part, &left));
        }
        rules.push(Rule::Dykstra);
        // Constraints on single entries are tested exactly, so they come last, where they hold exactly.
        left.sort_by_key(|part| Prox::<f64>::separable(part).is_some());
        Arc::new(Dykstra::new(left).map_err(|error| error.to_string())?)
    };
    Ok(Operator::new(&text.join("+"), &rules, whole))
}

/// As few parts as exact rules can make of these, and the rules.
fn reduce(parts: Vec<Operator>) -> (Vec<Operator>, Vec<Rule>) {
    let mut best: Option<(Vec<Operator>, Vec<Rule>)> = None;
    for j in 1..parts.len() {
        for i in 0..j {
            let Some(pair) = exact(&parts[i], &parts[j]) else {
                continue;
            };
            let others = (0..parts.len()).filter(|&k| k != i && k != j);
            let rest = others.map(|k| parts[k].clone());
            let found = reduce(std::iter::once(pair).chain(rest).collect());
            if found.0.len() == 1 {
                return found;
            }
            if best
                .as_ref()
                .is_none_or(|best| found.0.len() < best.0.len())
            {
                best = Some(found);
            }
        }
    }
    best.unwrap_or_else(|| {
        let rules = parts.iter().flat_map(|part| part.rules().to_vec());
        let rules = rules.collect();
        (parts, rules)
    })
}

/// Two parts as one, if there is an exact rule for them.
fn exact(a: &Operator, b: &Operator) -> Option<Operator> {
    let pair = Constrained::new(a.clone(), b.clone()).ok()?;
    let mut rules = [a.rules(), b.rules()].concat();
    rules.push(pair.rule());
    let text = format!("{a}+{b}");
    let exact = pair.rule().is_exact();
    exact.then(|| Operator::new(&text, &rules, Arc::new(pair)))
}

/// Which part is in the way, and what would work.
fn refusal(nonconvex: &Operator, left: &[Operator]) -> String {
    let others: Vec<String> = left
        .iter()
        .filter(|part| *part != nonconvex)
        .map(|part| format!("'{part}'"))
        .collect();
    let others = others.join(" and ");
    format!(
        "'{nonconvex}' is not convex, and no rule combines it with {others}. {}",
        crate::calculus::NONCONVEX_RULES
    )
}
