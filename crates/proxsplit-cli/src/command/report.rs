//! `proxsplit report`: the HTML page of a finished run, from its folder.

use crate::args::Image;
use crate::factors::Factors;
use crate::record::{Record, TraceRow};
use crate::report::{Source, html};
use crate::{Outcome, output, overwrite, read};
use anyhow::{Context, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The name of the page.
pub(crate) const PAGE: &str = "report.html";

/// Writes report.html into the folder of a finished run
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder that `proxsplit factorize --out` has written
    folder: PathBuf,
    /// Show atoms as pictures of R×C pixels (column by column; RxC:rows if row by row)
    #[arg(long, value_name = "RxC")]
    image: Option<Image>,
    /// Where to write the page; report.html in the folder by default
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Args {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let path = self.out.unwrap_or_else(|| self.folder.join(PAGE));
        let mut read = overwrite::factors_in(&self.folder);
        read.extend(["run.json", "trace.jsonl", "features.txt"].map(|name| self.folder.join(name)));
        read.push(overwrite::file_of(&record(&self.folder)?.data.source));
        overwrite::refuse([path.clone()], &read)?;
        write(&self.folder, self.image, &path)?;
        output::print(&path.display().to_string())?;
        Ok(Outcome::Done)
    }
}

/// Writes the page of a folder.
pub(crate) fn write(folder: &Path, image: Option<Image>, path: &Path) -> anyhow::Result<()> {
    let record = record(folder)?;
    let trace: Vec<TraceRow> = read::json_lines(&folder.join("trace.jsonl"))?;
    let factors = Factors {
        x: factor(folder, "X")?,
        a: factor(folder, "A")?,
    };
    let (x, a) = (&factors.x, &factors.a);
    ensure!(
        x.cols() == a.rows() && x.rows() == record.data.features && a.cols() == record.data.samples,
        "the files in {} do not belong together",
        folder.display()
    );
    let features = labels(&folder.join("features.txt"))?;
    let remembered = record.settings.get("image").and_then(Value::as_str);
    let image = image.or(remembered.and_then(|text| text.parse().ok()));
    if let Some(image) = image {
        ensure!(
            image.rows * image.cols == x.rows(),
            "--image {image} has {} pixels, but an atom has {} entries",
            image.rows * image.cols,
            x.rows()
        );
    }
    let page = html(&Source {
        record: &record,
        trace: &trace,
        factors: &factors,
        features: features.as_deref().filter(|names| names.len() == x.rows()),
        image,
    })?;
    Ok(proxsplit_io::write_bytes(path, page)?)
}

/// What a finished run says of itself.
pub(crate) fn record(folder: &Path) -> anyhow::Result<Record> {
    read::json(&folder.join("run.json"))
        .with_context(|| format!("{} is not the folder of a finished run", folder.display()))
}

/// `X.npy` or `X.npz`, whichever is there.
pub(crate) fn factor(folder: &Path, name: &str) -> anyhow::Result<proxsplit::linalg::Mat<f64>> {
    let sparse = folder.join(format!("{name}.npz"));
    if sparse.exists() {
        read::dense(&sparse)
    } else {
        read::dense(&folder.join(format!("{name}.npy")))
    }
}

/// One label a line, if the file is there.
fn labels(path: &Path) -> anyhow::Result<Option<Vec<String>>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text.lines().map(str::to_owned).collect())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}
