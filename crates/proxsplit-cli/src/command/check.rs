//! `proxsplit check`: what is true of the factors of any program.

use crate::args::{DataName, GraphFiles, Reading, WeightFiles, named, positive};
use crate::input::{Input, SAMPLES};
use crate::missing;
use crate::{Outcome, number, output, read, terms};
use anyhow::ensure;
use proxsplit::text::Operator;
use proxsplit_factor::{Audit, Factors, Loss, Missing, Problem, Samples, audit};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The data Y
    #[arg(value_parser = DataName::parser())]
    data: DataName,
    /// X, features × K
    x: PathBuf,
    /// A, K × samples
    a: PathBuf,
    /// ψ₀, the penalty of X
    #[arg(long, value_name = "OPERATOR")]
    x_penalty: Option<Operator>,
    /// ψ, the penalty of A
    #[arg(long, value_name = "OPERATOR")]
    a_penalty: Option<Operator>,
    /// The set of X; zero for none
    #[arg(long, value_name = "OPERATOR", default_value = "nonneg")]
    x_set: Operator,
    /// The set of A; zero for none
    #[arg(long, value_name = "OPERATOR", default_value = "nonneg")]
    a_set: Operator,
    /// The loss between Y and XA: squared, kl or huber:D
    #[arg(long, value_name = "LOSS", default_value_t = Loss::Squared)]
    loss: Loss,
    #[command(flatten)]
    weights: WeightFiles,
    #[command(flatten)]
    graphs: GraphFiles,
    /// A file of the atoms that were kept fixed, the first columns of X
    #[arg(long, value_name = "FILE")]
    fixed_x: Option<PathBuf>,
    /// Whether samples are the columns or the rows of the data
    #[arg(long, value_parser = named!(Samples, SAMPLES), default_value_t = Samples::Columns)]
    samples: Samples,
    /// Which entries of the data are missing
    #[arg(long, value_parser = named!(Missing, missing::MEANINGS), default_value_t = Missing::None)]
    missing: Missing,
    #[command(flatten)]
    reading: Reading,
    /// Divide the data by S
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = positive)]
    scale: f64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let input = Input::open(&self.data, self.samples, self.missing, &self.reading)?;
        let (x, a) = (read::dense(&self.x)?, read::dense(&self.a)?);
        let (features, samples) = input.shape();
        ensure!(
            x.rows() == features && a.cols() == samples && x.cols() == a.rows(),
            "shapes do not match: the data is {features} × {samples}, X is {} × {}, A is {} × {}; X must be features × K and A must be K × samples",
            x.rows(),
            x.cols(),
            a.rows(),
            a.cols()
        );
        let atoms = terms::join(self.x_penalty.as_ref(), Some(&self.x_set))?;
        let codes = terms::join(self.a_penalty.as_ref(), Some(&self.a_set))?;
        let weights = self.weights.read(self.samples)?;
        let data = input.data::<f64>(self.scale)?.with_weights(weights.of())?;
        let fixed = self.fixed_x.as_deref().map(read::dense).transpose()?;
        let mut problem = Problem::new(&data, x.cols(), &atoms, &codes)?.with_loss(self.loss)?;
        let graphs = self.graphs.read()?;
        problem = graphs.join(problem)?;
        if let Some(fixed) = &fixed {
            problem = problem.with_fixed(fixed)?;
        }
        let found = audit(problem, &Factors::new(&x, a)?)?;
        if self.json {
            output::print_json(&found)?;
        } else {
            let missing = missing::words(data.missing(), input.shape());
            output::print(&words(
                &found,
                missing,
                formulas(self.loss, data.is_weighted()),
            ))?;
        }
        Ok(Outcome::Done)
    }
}

/// The formulas of the misfit and of the relative error.
fn formulas(loss: Loss, is_weighted: bool) -> (&'static str, &'static str) {
    let relative = "√(misfit of XA / misfit of 0)";
    match (loss, is_weighted) {
        (Loss::Squared, false) => ("½‖Y − XA‖²", "‖Y − XA‖/‖Y‖"),
        (Loss::Squared, true) => ("½Σ w(y − z)²", relative),
        (Loss::KullbackLeibler, _) => ("Σ y·log(y/z) − y + z, Z = XA", "misfit/Σy"),
        (_, false) => ("Σ h(y − z)", relative),
        (_, true) => ("Σ w·h(y − z)", relative),
    }
}

fn words(
    found: &Audit,
    missing: Option<String>,
    (misfit, error): (&'static str, &'static str),
) -> String {
    let short = number::short;
    let mut lines = vec![
        ("objective", format!("{:.10e}", found.objective)),
        (
            "misfit",
            format!(
                "{:.10e} ± {:.1e}, {misfit}",
                found.misfit, found.misfit_rounding
            ),
        ),
        (
            "error",
            format!("{}, {error}", number::percent(found.relative_error)),
        ),
        (
            "best",
            format!("{:.10e} with the best A for this X", found.best_objective),
        ),
        (
            "residual",
            format!(
                "X {} of {}, A {} of {}; 0 where stationary",
                short(found.residual_x),
                short(found.scale_x),
                short(found.residual_a),
                short(found.scale_a)
            ),
        ),
        (
            "zeros",
            format!(
                "{} of X, {} of A",
                number::percent(found.sparsity_x),
                number::percent(found.sparsity_a)
            ),
        ),
    ];
    lines.extend(missing.map(|words| ("data", words)));
    lines.extend(
        found
            .outside
            .map(|outside| ("outside", outside.to_string())),
    );
    lines.push(("dead atoms", dead(found)));
    lines.push(("scale", scale(found)));
    let padded = |(name, text): &(&str, String)| format!("{name:<11} {text}");
    lines.iter().map(padded).collect::<Vec<_>>().join("\n") + "\n"
}

fn dead(found: &Audit) -> String {
    let atoms: Vec<String> = found.dead_atoms.iter().map(ToString::to_string).collect();
    if atoms.is_empty() {
        return "none".to_owned();
    }
    let escape = match found.escape {
        None => "replacements were not searched for, because the codes of a sample are coupled"
            .to_owned(),
        Some(0.0) => {
            "a search found no replacement that lowers the objective, but one may exist".to_owned()
        }
        Some(gain) => format!(
            "replacing one would lower the objective by at least {}",
            number::short(gain)
        ),
    };
    format!("{}; {escape}", atoms.join(", "))
}

fn scale(found: &Audit) -> String {
    if found.scale_is_degenerate {
        "degenerate: only one factor is penalized, so its penalty can be evaded by moving scale to the other; bound the other".to_owned()
    } else if found.balance_gain > 0.0 {
        format!(
            "rescaling each pair x, a optimally would lower the objective by {}",
            number::short(found.balance_gain)
        )
    } else {
        "balanced, or free".to_owned()
    }
}
