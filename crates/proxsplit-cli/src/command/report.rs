//! `proxsplit report`: the HTML page of a finished run, from its folder, or of two.

use crate::args::Image;
use crate::factors::Factors;
use crate::record::{Record, TraceRow};
use crate::report::{Source, compare_page, html};
use crate::{Outcome, output, overwrite, read};
use anyhow::{Context, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The name of the page.
pub(crate) const PAGE: &str = "report.html";
/// The name of the page of two runs.
const COMPARISON: &str = "compare.html";

/// Writes report.html into the folder of a finished run, or a page that compares two runs
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The output folder of `proxsplit factorize`; with two folders, the runs are compared
    #[arg(num_args = 1..=2, required = true, value_name = "FOLDER")]
    folders: Vec<PathBuf>,
    /// Show atoms as pictures of R×C pixels (stored column by column; RxC:rows if row by row)
    #[arg(long, value_name = "RxC")]
    image: Option<Image>,
    /// Where to write the page: by default report.html in the folder, or compare.html in the working directory
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Args {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let default = match &self.folders[..] {
            [folder] => folder.join(PAGE),
            _ => COMPARISON.into(),
        };
        let path = self.out.unwrap_or(default);
        let mut read = Vec::new();
        for folder in &self.folders {
            read.extend(overwrite::factors_in(folder));
            read.extend(["run.json", "trace.jsonl", "features.txt"].map(|name| folder.join(name)));
            read.push(overwrite::file_of(&record(folder)?.data.source));
        }
        overwrite::refuse([path.clone()], &read)?;
        match &self.folders[..] {
            [one, other] => compare([one, other], self.image, &path)?,
            folders => write(&folders[0], self.image, &path)?,
        }
        output::print(&path.display().to_string())?;
        Ok(Outcome::Done)
    }
}

/// Writes the page of a folder.
pub(crate) fn write(folder: &Path, image: Option<Image>, path: &Path) -> anyhow::Result<()> {
    let run = Run::open(folder, image)?;
    Ok(proxsplit_io::write_bytes(path, html(&run.source())?)?)
}

/// Writes the page of two folders.
fn compare(folders: [&PathBuf; 2], image: Option<Image>, path: &Path) -> anyhow::Result<()> {
    let [one, other] = folders.map(|folder| Run::open(folder, image));
    let names = folders.map(|folder| folder.to_string_lossy());
    let page = compare_page([&names[0], &names[1]], [&one?.source(), &other?.source()])?;
    Ok(proxsplit_io::write_bytes(path, page)?)
}

/// A finished run, read from its folder.
struct Run {
    record: Record,
    trace: Vec<TraceRow>,
    factors: Factors,
    features: Option<Vec<String>>,
    image: Option<Image>,
}

impl Run {
    fn open(folder: &Path, image: Option<Image>) -> anyhow::Result<Self> {
        let record = record(folder)?;
        let factors = Factors {
            x: factor(folder, "X")?,
            a: factor(folder, "A")?,
        };
        let (x, a) = (&factors.x, &factors.a);
        ensure!(
            x.cols() == a.rows()
                && x.rows() == record.data.features
                && a.cols() == record.data.samples,
            "the files in {} are from different runs: the shapes of X and A do not match run.json",
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
        Ok(Self {
            trace: read::json_lines(&folder.join("trace.jsonl"))?,
            features: features.filter(|names| names.len() == factors.x.rows()),
            record,
            factors,
            image,
        })
    }

    fn source(&self) -> Source<'_> {
        Source {
            record: &self.record,
            trace: &self.trace,
            factors: &self.factors,
            features: self.features.as_deref(),
            image: self.image,
        }
    }
}

/// What a finished run says of itself.
pub(crate) fn record(folder: &Path) -> anyhow::Result<Record> {
    read::json(&folder.join("run.json")).with_context(|| {
        format!(
            "{} is not the output folder of a finished run",
            folder.display()
        )
    })
}

/// `X.npy` or `X.npz`, whichever is there.
pub(crate) fn factor(folder: &Path, name: &str) -> anyhow::Result<proxsplit::Mat<f64>> {
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
