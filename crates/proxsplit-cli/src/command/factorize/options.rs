//! The options of `proxsplit factorize`.

use super::start::Start;
use crate::args::{
    DataName, GraphFiles, Image, Limits, Reading, Shown, WeightFiles, count, misuse, named,
    nonnegative, positive,
};
use crate::command::list::{METHODS, METRICS};
use crate::input::SAMPLES;
use crate::missing::MEANINGS;
use clap::builder::BoolishValueParser;
use proxsplit::text::Operator;
use proxsplit_factor::{
    Description, Dtype, Inner, Loss, Method, Metric, Missing, Samples, Settings, Step,
};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools)] // Independent flags of the command line.
pub(crate) struct Args {
    /// A data file, - for standard input, a folder (10x data or pictures), or generated data: swimmer, rand:4000x4000 … (see `proxsplit list formats`)
    #[arg(value_parser = DataName::parser())]
    pub(super) data: DataName,
    /// The number of atoms, the columns of X
    #[arg(long, short = 'k', value_name = "K", value_parser = count)]
    pub(super) rank: usize,
    /// The loss between Y and XA: squared, kl for counts, or huber:D, which limits the influence of residuals beyond D
    #[arg(
        long,
        value_name = "LOSS",
        default_value_t = Loss::Squared,
        help_heading = "Problem"
    )]
    pub(super) loss: Loss,
    /// ψ₀, the penalty of X, for example l1:1e-5
    #[arg(long, value_name = "OPERATOR", help_heading = "Problem")]
    pub(super) x_penalty: Option<Operator>,
    /// ψ, the penalty of A, for example l1:10
    #[arg(long, value_name = "OPERATOR", help_heading = "Problem")]
    pub(super) a_penalty: Option<Operator>,
    /// The set of X; zero for none
    #[arg(
        long,
        value_name = "OPERATOR",
        default_value = "nonneg",
        help_heading = "Problem"
    )]
    pub(super) x_set: Option<Operator>,
    /// The set of A; zero for none
    #[arg(
        long,
        value_name = "OPERATOR",
        default_value = "nonneg",
        help_heading = "Problem"
    )]
    pub(super) a_set: Option<Operator>,
    /// A file of atoms (one per column) to keep fixed as the first columns of X; --rank includes them
    #[arg(long, value_name = "FILE", help_heading = "Problem")]
    pub(super) fixed_x: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Problem")]
    pub(super) weights: WeightFiles,
    #[command(flatten, next_help_heading = "Problem")]
    pub(super) graphs: GraphFiles,
    /// Whether samples are the columns or the rows of the data
    #[arg(long, value_parser = named!(Samples, SAMPLES), default_value_t = Samples::Columns, help_heading = "Problem")]
    pub(super) samples: Samples,
    /// Which entries are missing; the misfit is summed over the others
    #[arg(long, value_parser = named!(Missing, MEANINGS), default_value_t = Missing::None, help_heading = "Problem")]
    pub(super) missing: Missing,
    /// Divide the data by S on the fly
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = positive, help_heading = "Problem")]
    pub(super) scale: f64,
    #[command(flatten)]
    pub(super) reading: Reading,
    /// The method that updates X
    #[arg(
        long,
        value_parser = named!(Method, METHODS),
        default_value_t = Method::Auto,
        help_heading = "Method"
    )]
    pub(super) method: Method,
    /// Samples per mini-batch; by default chosen from the size of the data
    #[arg(long, value_name = "N", value_parser = count, help_heading = "Method")]
    pub(super) batch: Option<usize>,
    /// What the incremental method does to X between two mini-batches
    #[arg(
        long,
        value_parser = named!(Inner),
        default_value_t = Inner::Prox,
        help_heading = "Method"
    )]
    pub(super) inner: Inner,
    /// The step of the methods incremental and sggd: auto, a number, or diminishing:FIRST,POWER
    #[arg(
        long,
        value_name = "STEP",
        default_value_t = Step::Auto,
        help_heading = "Method"
    )]
    pub(super) step: Step,
    /// The metric of the steps of the methods incremental (gram by default) and sggd
    #[arg(long, value_parser = named!(Metric, METRICS), help_heading = "Method")]
    pub(super) metric: Option<Metric>,
    /// Stop improving the codes of a mini-batch when a sweep moves them by less than this fraction of their first move; for the methods
    /// incremental and sggd, 0.03 by default
    #[arg(long, value_name = "TOL", value_parser = positive, help_heading = "Method")]
    pub(super) codes_tol: Option<f64>,
    /// Whether to rebalance the scale between X and A after every pass where the penalties leave it free; on by default except for sggd
    #[arg(long, value_name = "yes|no", value_parser = BoolishValueParser::new(), help_heading = "Method")]
    pub(super) rescale: Option<bool>,
    /// Where to start: auto, random, nndsvd, nndsvda, nndsvdar, or a folder with X and A
    #[arg(
        long,
        value_name = "START",
        default_value = "auto",
        help_heading = "Method"
    )]
    pub(super) init: Start,
    /// The seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Method")]
    pub(super) seed: u64,
    /// Run N times, with consecutive seeds from --seed, and keep the run with the lowest objective; all but the first start at random.
    /// Limits apply to each run
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count, conflicts_with = "resume", help_heading = "Method")]
    pub(super) restarts: usize,
    /// Compare the runs: how often each atom was found, the medoid of each (medoids.npy), and which samples stay together
    #[arg(long, requires = "restarts", help_heading = "Method")]
    pub(super) consensus: bool,
    /// Number of threads; all processors by default. The result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Method")]
    pub(super) threads: Option<u16>,
    /// The number type of the factors
    #[arg(
        long,
        value_parser = named!(Dtype),
        default_value_t = Dtype::F64,
        help_heading = "Method"
    )]
    pub(super) dtype: Dtype,
    #[command(flatten, next_help_heading = "Limits")]
    pub(super) limits: Limits,
    /// The output folder; named after the data and the rank by default
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(super) out: Option<PathBuf>,
    /// Write only the nonzeros, to X.npz and A.npz in SciPy's format
    #[arg(long, help_heading = "Output")]
    pub(super) sparse_out: bool,
    /// Seconds between checkpoints
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = nonnegative, help_heading = "Output")]
    pub(super) checkpoint_every: f64,
    /// Continue from the checkpoint in the output folder, if there is one
    #[arg(long, conflicts_with = "force", help_heading = "Output")]
    pub(super) resume: bool,
    /// Write report.html
    #[arg(long, help_heading = "Output")]
    pub(super) report: bool,
    /// Show atoms as pictures of R×C pixels (stored column by column; RxC:rows if row by row)
    #[arg(long, value_name = "RxC", help_heading = "Output")]
    pub(super) image: Option<Image>,
    #[command(flatten, next_help_heading = "Output")]
    pub(super) shown: Shown,
}

impl Args {
    /// The same for the library, the files that keep it and `--resume`.
    pub(super) fn description(&self) -> anyhow::Result<Description> {
        self.check_method()?;
        let [row_weights, column_weights, weights] = self.weights.described()?;
        let [(x_graph, x_graph_weight), (a_graph, a_graph_weight)] = self.graphs.described()?;
        Ok(Description {
            rank: self.rank,
            loss: self.loss,
            x_penalty: self.x_penalty.clone(),
            a_penalty: self.a_penalty.clone(),
            x_set: self.x_set.clone(),
            a_set: self.a_set.clone(),
            fixed_x: self.fixed_x.as_deref().map(words),
            row_weights,
            column_weights,
            weights,
            x_graph,
            x_graph_weight,
            a_graph,
            a_graph_weight,
            samples: self.samples,
            missing: self.missing,
            scale: self.scale,
            settings: Settings {
                method: self.method,
                batch: self.batch,
                inner: self.inner,
                step: self.step,
                metric: self.metric,
                rescale: self.rescale,
                codes_tol: self.codes_tol,
                init: self.init.init(),
                seed: self.seed,
                ..Settings::default()
            },
            start: self.init.folder().map(words),
            dtype: self.dtype,
            passes: self.limits.passes,
            time: self.limits.time,
            tol: self.limits.tol,
        })
    }

    /// An option that the method would ignore is refused.
    fn check_method(&self) -> Result<(), clap::Error> {
        let incremental = self.method == Method::Incremental;
        for (name, is_given) in [
            ("--step", self.step != Step::Auto),
            ("--metric", self.metric.is_some()),
            ("--codes-tol", self.codes_tol.is_some()),
        ] {
            if is_given && !incremental && self.method != Method::Sggd {
                return Err(misuse(&format!(
                    "{name} is only for --method incremental and --method sggd"
                )));
            }
        }
        if self.consensus && self.restarts < 2 {
            return Err(misuse(
                "--consensus compares runs: use --restarts 2 or more",
            ));
        }
        if self.inner != Inner::Prox && !incremental {
            return Err(misuse("--inner identity is only for --method incremental"));
        }
        Ok(())
    }
}

/// A path as a run remembers it.
fn words(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
