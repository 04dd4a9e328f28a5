//! `proxsplit prox`: applies an operator to the numbers of a file.

use crate::args::{array_file, positive};
use crate::{Outcome, output, overwrite, read};
use anyhow::bail;
use proxsplit::Prox;
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit::text::Operator;
use serde_json::json;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The operator g in text form, for example 'l1:0.1+nonneg' (see `proxsplit list operators`)
    operator: Operator,
    /// The vector v; a matrix is read column by column
    #[arg(value_name = "FILE")]
    vector: PathBuf,
    /// The step η
    #[arg(long, default_value_t = 1.0, value_parser = positive)]
    step: f64,
    /// Where to write p (.npy)
    #[arg(long, value_name = "FILE", value_parser = |text: &str| array_file(text, &["npy"]))]
    out: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
    /// Print the value and the result as JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let g: &dyn Prox = &self.operator;
        let step = self.step;
        let read = overwrite::file_of(&self.vector.to_string_lossy());
        overwrite::refuse(self.out.clone(), &[read])?;
        if let Some(out) = self.out.as_ref().filter(|out| out.exists() && !self.force) {
            bail!(
                "{} already exists; choose another name or add --force",
                out.display()
            );
        }
        let mut point = read::dense(&self.vector)?;
        g.fits(point.data().len())?;
        let error = g.prox_with_error(point.data_mut(), step);
        let value = g.value(point.data());
        let (rows, cols) = (point.rows(), point.cols());
        if let Some(out) = &self.out {
            let elements = Elements::F64(point.data());
            if cols == 1 {
                proxsplit_io::write_npy_vector(out, elements)?;
            } else {
                proxsplit_io::write_npy(
                    out,
                    Dense::new(rows, cols, StorageOrder::ColumnMajor, elements)?,
                )?;
            }
        }
        if self.json {
            output::print_json(&json!({
                "operator": self.operator, "step": step, "value": value, "error_bound": error, "result": point.data(),
            }))?;
        } else if self.out.is_some() {
            output::print(&format!("value {value}"))?;
        } else {
            let numbers = point.data().iter().map(|p| format!("{p}\n"));
            output::print(&numbers.collect::<String>())?;
        }
        Ok(Outcome::Done)
    }
}
