//! `proxsplit encode`: codes of new samples for the atoms of a finished run.

use super::report::{self, factor};
use crate::args::{DataName, Reading, WeightFiles, array_file, named, positive};
use crate::input::{Input, SAMPLES};
use crate::missing;
use crate::record::Record;
use crate::{Outcome, number, output, overwrite, terms};
use anyhow::{bail, ensure};
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::text::Operator;
use proxsplit_factor::{Loss, Missing, Samples, encode};
use proxsplit_io::{write_npy, write_npz_sparse};
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The new data, with the same features
    #[arg(value_parser = DataName::parser())]
    data: DataName,
    /// The folder of the finished run
    #[arg(long, value_name = "DIR")]
    model: PathBuf,
    /// Where to write A; .npy, or .npz for the nonzeros only
    #[arg(long, value_name = "FILE", value_parser = |text: &str| array_file(text, &["npy", "npz"]))]
    out: Option<PathBuf>,
    /// A penalty of A to use instead of the run's
    #[arg(long, value_name = "OPERATOR")]
    a_penalty: Option<Operator>,
    /// A set of A to use instead of the run's
    #[arg(long, value_name = "OPERATOR")]
    a_set: Option<Operator>,
    /// Whether samples are columns or rows, if that differs from the run
    #[arg(long, value_parser = named!(Samples, SAMPLES))]
    samples: Option<Samples>,
    /// Which entries of the new data are missing, whatever was missing in the run
    #[arg(long, value_parser = named!(Missing, missing::MEANINGS), default_value_t = Missing::None)]
    missing: Missing,
    #[command(flatten)]
    weights: WeightFiles,
    /// Divide the data by S, if that differs from the run
    #[arg(long, value_name = "S", value_parser = positive)]
    scale: Option<f64>,
    #[command(flatten)]
    reading: Reading,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
    /// Print a summary as JSON
    #[arg(long)]
    json: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

impl Args {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let record = report::record(&self.model)?;
        let out = self
            .out
            .clone()
            .unwrap_or_else(|| crate::args::default_folder(&self.data, "codes.npy"));
        let mut read = overwrite::factors_in(&self.model);
        read.push(overwrite::file_of(&self.data));
        overwrite::refuse([out.clone()], &read)?;
        if out.exists() && !self.force {
            bail!(
                "{} already exists; choose another name or add --force",
                out.display()
            );
        }
        let input = Input::open(
            &self.data,
            self.samples.unwrap_or(record.data.orientation),
            self.missing,
            &self.reading,
        )?;
        let x = factor(&self.model, "X")?;
        ensure!(
            input.shape().0 == x.rows(),
            "{} has {} features, but the run in {} had {}: give data with the same features, in the same order",
            self.data,
            input.shape().0,
            self.model.display(),
            x.rows()
        );
        let psi = self.terms(&record)?;
        let orientation = self.samples.unwrap_or(record.data.orientation);
        let weights = self.weights.read(orientation)?;
        let data = input
            .data::<f64>(self.scale.unwrap_or(record.data.scale))?
            .with_weights(weights.of())?;
        let codes = encode(&data, loss(&record)?, &x, &psi)?;
        let view = Dense::new(
            codes.rows(),
            codes.cols(),
            StorageOrder::ColumnMajor,
            Elements::F64(codes.data()),
        )?;
        match out.extension().and_then(|extension| extension.to_str()) {
            Some("npz") => write_npz_sparse(&out, view, StorageOrder::ColumnMajor)?,
            _ => write_npy(&out, view)?,
        }
        let zeros = crate::factors::share_of_zeros(codes.data());
        if self.json {
            output::print_json(&json!({
                "out": out.to_string_lossy(), "rank": codes.rows(), "samples": codes.cols(), "sparsity": zeros, "terms": psi.to_string(),
                "missing": data.missing(),
            }))?;
        } else if !self.quiet {
            let missing = missing::words(data.missing(), input.shape());
            let missing = missing.map_or_else(String::new, |words| format!(", {words}"));
            output::print(&format!(
                "{} × {} codes, {} zeros{missing}, in {}",
                codes.rows(),
                codes.cols(),
                number::percent(zeros),
                out.display()
            ))?;
        }
        Ok(Outcome::Done)
    }

    /// The terms of A, from the options or from the run.
    fn terms(&self, record: &Record) -> anyhow::Result<Operator> {
        let of_run = |name: &str| -> anyhow::Result<Option<Operator>> {
            let text = record.settings.get(name).and_then(Value::as_str);
            Ok(text.map(str::parse).transpose()?)
        };
        let penalty = self
            .a_penalty
            .clone()
            .map_or_else(|| of_run("a_penalty"), |term| Ok(Some(term)))?;
        let set = self
            .a_set
            .clone()
            .map_or_else(|| of_run("a_set"), |term| Ok(Some(term)))?;
        Ok(terms::join(penalty.as_ref(), set.as_ref())?)
    }
}

/// The loss of the run.
fn loss(record: &Record) -> anyhow::Result<Loss> {
    let text = record.settings.get("loss").and_then(Value::as_str);
    Ok(text.map_or(Ok(Loss::default()), str::parse)?)
}
