//! The options of `proxsplit rank`.

use crate::args::{DataName, Ranks, Reading, count, named, nonnegative, positive};
use crate::input::SAMPLES;
use crate::missing::MEANINGS;
use proxsplit::text::Operator;
use proxsplit_factor::{Description, Dtype, Loss, Missing, RankPlan, Samples, Settings};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools)] // Independent flags of the command line.
pub(crate) struct Args {
    /// A data file, - for standard input, a folder (10x data or pictures), or generated data: swimmer, planted:200x300x5,0.1 … (see `proxsplit list formats`)
    #[arg(value_parser = DataName::parser())]
    pub(super) data: DataName,
    /// The ranks to try: 2..20 (both ends included), 2..20:3 for every third, or 2,4,8
    #[arg(long, value_name = "RANKS", default_value = "1..20")]
    pub(super) ranks: Ranks,
    /// Number of folds that the entries are divided into; each fit leaves one out
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = count, help_heading = "Search")]
    pub(super) folds: usize,
    /// Number of independent divisions of the entries into folds
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count, help_heading = "Search")]
    pub(super) repeats: usize,
    /// Fits to all the data at every rank, from different starts, for the objective and the stability of the atoms; 0 for none
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = "Search")]
    pub(super) restarts: usize,
    /// Stop early when N ranks beyond the best one are all clearly worse; 0 tries all ranks
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = "Search")]
    pub(super) patience: usize,
    /// The tolerance of a fit, relative to the size of the terms that cancel at a solution
    #[arg(long, value_name = "T", default_value = "1e-3", value_parser = nonnegative, help_heading = "Search")]
    pub(super) tol: f64,
    /// The maximum number of passes per fit
    #[arg(long, value_name = "N", default_value_t = 200.0, value_parser = positive, help_heading = "Search")]
    pub(super) passes: f64,
    /// The seed of masks and starts
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Search")]
    pub(super) seed: u64,
    /// Number of threads; all processors by default. The result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Search")]
    pub(super) threads: Option<u16>,
    /// The number type of the factors
    #[arg(long, value_parser = named!(Dtype), default_value_t = Dtype::F64, help_heading = "Search")]
    pub(super) dtype: Dtype,
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
    /// Whether samples are the columns or the rows of the data
    #[arg(long, value_parser = named!(Samples, SAMPLES), default_value_t = Samples::Columns, help_heading = "Problem")]
    pub(super) samples: Samples,
    /// Which entries are missing; the others are divided into folds
    #[arg(long, value_parser = named!(Missing, MEANINGS), default_value_t = Missing::None, help_heading = "Problem")]
    pub(super) missing: Missing,
    /// Divide the data by S on the fly
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = positive, help_heading = "Problem")]
    pub(super) scale: f64,
    #[command(flatten)]
    pub(super) reading: Reading,
    /// The output folder; named after the data by default
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(super) out: Option<PathBuf>,
    /// Seconds between checkpoints
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = nonnegative, help_heading = "Output")]
    pub(super) checkpoint_every: f64,
    /// Continue from the checkpoint in the output folder, if there is one; ranks may be added
    #[arg(long, conflicts_with = "force", help_heading = "Output")]
    pub(super) resume: bool,
    /// Replace an existing result
    #[arg(long, help_heading = "Output")]
    pub(super) force: bool,
    /// Print rank.json
    #[arg(long, help_heading = "Output")]
    pub(super) json: bool,
    /// Print nothing but errors
    #[arg(long, short, help_heading = "Output")]
    pub(super) quiet: bool,
}

impl Args {
    pub(super) fn plan(&self) -> RankPlan {
        RankPlan {
            folds: self.folds,
            repeats: self.repeats,
            restarts: self.restarts,
            patience: self.patience,
            tol: self.tol,
            passes: self.passes,
            seed: self.seed,
            ..RankPlan::new(self.ranks.ranks.iter().copied())
        }
    }

    /// The problem of every fit, for the files that keep it and `--resume`; the rank is none of its own.
    pub(super) fn description(&self) -> Description {
        Description {
            rank: 0,
            loss: Loss::Squared,
            x_penalty: self.x_penalty.clone(),
            a_penalty: self.a_penalty.clone(),
            x_set: self.x_set.clone(),
            a_set: self.a_set.clone(),
            fixed_x: None,
            row_weights: None,
            column_weights: None,
            weights: None,
            x_graph: None,
            x_graph_weight: None,
            a_graph: None,
            a_graph_weight: None,
            samples: self.samples,
            missing: self.missing,
            scale: self.scale,
            settings: Settings {
                seed: self.seed,
                ..Settings::default()
            },
            start: None,
            dtype: self.dtype,
            passes: self.passes,
            time: None,
            tol: self.tol,
        }
    }
}
