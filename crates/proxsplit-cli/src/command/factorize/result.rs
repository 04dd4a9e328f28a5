//! The files of a factorization.

use super::Args;
use crate::command::report;
use crate::input::Input;
use crate::record::{
    DataRecord, FORMAT, Record, Sparsity, Statement, TraceRow, Versions, command_line, object,
    passes,
};
use crate::scalar::Scalar;
use crate::{number, outliers, output};
use anyhow::Context;
use proxsplit::Mat;
use proxsplit::Report;
use proxsplit::data::{Dense, StorageOrder};
use proxsplit_factor::{Consensus, Description, Factors, Outliers};
use proxsplit_io::{
    OutputDir, write_bytes, write_json, write_json_lines, write_npy, write_npz_sparse,
};
use serde_json::{Map, Value, json};

/// The atom of every family of atoms that is nearest to all others, if runs were compared.
const MEDOIDS: &str = "medoids.npy";

/// What a run may leave behind; where `run.json` is, the result is whole.
pub(super) const FILES: [&str; 10] = [
    "run.json",
    "X.npy",
    "A.npy",
    "X.npz",
    "A.npz",
    "trace.jsonl",
    "features.txt",
    "samples.txt",
    MEDOIDS,
    report::PAGE,
];

/// Everything that is known when a run has ended.
pub(super) struct Finished<'a> {
    pub(super) args: &'a Args,
    pub(super) description: &'a Description,
    pub(super) input: &'a Input,
    /// Missing entries.
    pub(super) missing: usize,
    pub(super) picked: String,
    pub(super) warnings: Vec<String>,
    /// Entries that do not fit, for a loss that expects some.
    pub(super) outliers: Option<Outliers>,
    pub(super) report: &'a Report,
    pub(super) trace: &'a [TraceRow],
    pub(super) saved: bool,
    /// What several runs agree on, and the medoid atoms.
    pub(super) consensus: Option<(Consensus, Mat<f64>)>,
}

impl Finished<'_> {
    /// Writes all files and tells what came of the run. After an error an earlier result is as it was.
    pub(super) fn write<T: Scalar>(
        &self,
        folder: &OutputDir,
        factors: &Factors<T>,
    ) -> anyhow::Result<()> {
        let record = folder
            .replace(&FILES, |aside| self.files(aside, factors))
            .with_context(|| {
                format!(
                    "the result could not be written to {}",
                    folder.path().display()
                )
            })?;
        self.tell(folder, &record)
    }

    fn files<T: Scalar>(&self, folder: &OutputDir, factors: &Factors<T>) -> anyhow::Result<Record> {
        factor(folder, "X", &factors.x(), self.args.sparse_out)?;
        factor(folder, "A", &factors.a(), self.args.sparse_out)?;
        for (name, labels) in [
            ("features.txt", self.input.features()),
            ("samples.txt", self.input.samples()),
        ] {
            if let Some(labels) = labels {
                let lines: String = labels
                    .iter()
                    .map(|label| label.replace(['\n', '\r'], " ") + "\n")
                    .collect();
                write_bytes(folder.file(name), lines)?;
            }
        }
        if let Some((_, medoids)) = &self.consensus {
            write_npy(folder.file(MEDOIDS), view(medoids)?)?;
        }
        write_json_lines(folder.file("trace.jsonl"), self.trace)?;
        let (x, a) = factors.zeros();
        let record = self.record(Sparsity { x, a });
        write_json(folder.file("run.json"), &record)?;
        if self.args.report {
            report::write(folder.path(), None, &folder.file(report::PAGE))?;
        }
        Ok(record)
    }

    fn record(&self, sparsity: Sparsity) -> Record {
        let (args, certificate) = (self.args, &self.report.certificate);
        Record {
            format: FORMAT,
            command: command_line(),
            objective: certificate.at_point.objective,
            seconds: self.report.seconds,
            passes: passes(self.report),
            reason: self.report.reason,
            converged: self.report.converged(),
            certificate: Statement::from(certificate),
            data: DataRecord {
                source: args.data.to_string(),
                features: self.input.shape().0,
                samples: self.input.shape().1,
                digest: self.input.digest().to_owned(),
                description: self.input.describe(),
                scale: args.scale,
                orientation: args.samples,
                missing: self.missing,
            },
            settings: self.settings(),
            seed: args.seed,
            sparsity,
            notes: self.warnings.clone(),
            outliers: self.outliers.clone(),
            consensus: self.consensus.as_ref().map(|found| found.0.clone()),
            versions: Versions::here(),
        }
    }

    fn settings(&self) -> Map<String, Value> {
        let args = self.args;
        let image = args.image.or(self.input.image());
        let mut settings = object(self.description);
        settings.extend(object(&json!({
            "picked": self.picked,
            "threads": rayon::current_num_threads(),
            "checkpoint_every": args.checkpoint_every,
            "sparse_out": args.sparse_out,
            "restarts": args.restarts,
            "image": image.map(|image| image.to_string()),
        })));
        settings
    }

    fn tell(&self, folder: &OutputDir, record: &Record) -> anyhow::Result<()> {
        if self.args.shown.json {
            return output::print_json(record);
        }
        if self.args.shown.quiet {
            return Ok(());
        }
        for warning in &self.warnings {
            output::tell(&format!("note: {warning}"));
        }
        let mut text = format!(
            "{}\n  zeros       {} of X, {} of A\n  passes      {} in {}\n  result      {}",
            self.report.certificate,
            number::percent(record.sparsity.x),
            number::percent(record.sparsity.a),
            number::short(record.passes),
            number::duration(record.seconds),
            folder.path().display()
        );
        if let Some(words) = crate::missing::words(self.missing, self.input.shape()) {
            text.push_str("\n  data        ");
            text.push_str(&words);
        }
        if let Some(found) = &self.outliers {
            text.push_str(&outliers::lines(found));
        }
        if let Some((consensus, _)) = &self.consensus {
            text.push_str("\n  consensus   ");
            text.push_str(&words(consensus));
        }
        if self.args.report {
            text.push_str("\n  report      ");
            text.push_str(&folder.file(report::PAGE).display().to_string());
        }
        if self.saved {
            text.push_str("\n  checkpoint  kept; continue with --resume and higher limits");
        }
        Ok(output::print(&text)?)
    }
}

fn factor<T: Scalar>(
    folder: &OutputDir,
    name: &str,
    factor: &Mat<T>,
    sparse: bool,
) -> anyhow::Result<()> {
    let view = view(factor)?;
    if sparse {
        write_npz_sparse(
            folder.file(&format!("{name}.npz")),
            view,
            StorageOrder::ColumnMajor,
        )?;
    } else {
        write_npy(folder.file(&format!("{name}.npy")), view)?;
    }
    Ok(())
}

fn view<T: Scalar>(matrix: &Mat<T>) -> Result<Dense<'_>, proxsplit::Error> {
    let (rows, cols) = (matrix.rows(), matrix.cols());
    Dense::new(
        rows,
        cols,
        StorageOrder::ColumnMajor,
        T::elements(matrix.data()),
    )
}

/// How many atoms came back.
fn words(consensus: &Consensus) -> String {
    let runs = consensus.objectives.len();
    let always = consensus.atoms.iter().filter(|atom| atom.runs == runs);
    format!(
        "{} of {} atoms were found in all {runs} runs; mean cosine {:.3}, cophenetic correlation {:.3}",
        always.count(),
        consensus.atoms.len(),
        consensus.cosine,
        consensus.cophenetic
    )
}
