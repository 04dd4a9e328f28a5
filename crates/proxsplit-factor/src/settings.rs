//! The choices of a run.

use serde::{Deserialize, Serialize};

/// How X is improved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Method {
    /// One aggregated pass, which wins early, then batch passes; batch passes alone on sparse data, where entries are missing, and
    /// where one batch would hold all columns.
    #[default]
    Auto,
    /// Algorithm 1 on φ(X) in the metric AAᵀ, with extrapolation.
    Batch,
    /// eq.32 on mini-batches of columns.
    Incremental,
    /// Mini-batches with remembered statistics.
    Aggregated,
    /// The paper's baseline: projected subgradients with a diminishing step.
    Sggd,
}

proxsplit::names!("method", Method:
    "auto" => Auto,
    "batch" => Batch,
    "incremental" => Incremental,
    "aggregated" => Aggregated,
    "sggd" => Sggd,
);

/// The operator O of eq.32; for factors the default is the prox.
pub use proxsplit::gradient::Inner;

/// The metric H in which `incremental` and `sggd` step: X ← prox of X − ηH⁻¹∇f.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Metric {
    /// H = AAᵀ, the curvature of the misfit in X itself.
    #[default]
    Gram,
    /// H = L·I with L = ‖AAᵀ‖, known at the start of every pass: eq.32 with a plain number η/L as the step, as in the paper.
    Scalar,
}

proxsplit::names!("metric", Metric: "gram" => Gram, "scalar" => Scalar);

/// The step η of `incremental` (in its [`Metric`], where 1 is natural for the whole sum and the paper's step range, eq. 38, asks for less than 2) and η₀ of
/// `sggd`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Step {
    /// Between mini-batches it starts at 1 and shrinks when the residual has come down to the drift of a pass; a whole pass makes a step of 1
    /// for a gradient without what is known of that drift.
    #[default]
    Auto,
    /// The same in every pass.
    Constant(f64),
    /// η/(1 + k)^p in pass k, 0 < p ≤ 1. (`sggd` always diminishes, with p = 1 if nothing else is said.)
    Diminishing {
        /// η
        first: f64,
        /// p
        power: f64,
    },
}

/// Where a run starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Init {
    /// `Nndsvd` for sparse data without missing entries and nonnegative factors, else `Random`.
    #[default]
    Auto,
    /// Uniform entries, scaled so that ‖Y − XA‖ is least.
    Random,
    /// The positive parts of the leading singular pairs; zeros stay zero.
    Nndsvd,
    /// The same, zeros filled with the root mean square of the data.
    Nndsvda,
    /// The same, zeros filled with small random numbers.
    Nndsvdar,
}

proxsplit::names!("start", Init:
    "auto" => Auto,
    "random" => Random,
    "nndsvd" => Nndsvd,
    "nndsvda" => Nndsvda,
    "nndsvdar" => Nndsvdar,
);

/// All choices; the default is good for most data.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// How X is improved.
    pub method: Method,
    /// Columns of a mini-batch; chosen by the size of the data if absent.
    pub batch: Option<usize>,
    /// The operator O of `incremental`.
    pub inner: Inner,
    /// The step of `incremental` and `sggd`.
    pub step: Step,
    /// The metric of `incremental` (`Gram` if absent) and `sggd`. Without one, `sggd` divides its step by the largest curvature of a
    /// mini-batch so far; with one it differs from `incremental` in what it does about ψ₀ alone.
    #[serde(default)]
    pub metric: Option<Metric>,
    /// Whether the scale between X and A, where the penalties leave it free, is set anew after every pass; if absent, every method
    /// but `sggd` does so.
    #[serde(default)]
    pub rescale: Option<bool>,
    /// When `incremental` and `sggd` stop to improve the codes of a mini-batch: when a sweep moves them by less than this fraction of
    /// their first move, which is 0.03 if absent. What the codes then lack is an error of the gradient, and stands in the ledger.
    #[serde(default)]
    pub codes_tol: Option<f64>,
    /// The order of the batches.
    pub order: proxsplit::order::VisitOrder,
    /// Where the run starts.
    pub init: Init,
    /// The seed of everything random.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Method::default(),
            batch: None,
            inner: Inner::Prox,
            step: Step::default(),
            metric: None,
            rescale: None,
            codes_tol: None,
            order: proxsplit::order::VisitOrder::default(),
            init: Init::default(),
            seed: 0,
        }
    }
}
