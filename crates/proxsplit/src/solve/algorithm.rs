//! The names of the ways to minimize f + g.

/// How f + g is minimized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Algorithm {
    /// Whole gradients: a working set where f is a linear model and g makes zeros entry by entry or group by group, else [`Panoc`](super::Panoc);
    /// plain [`Splitting`](super::Splitting) where steps are given.
    #[default]
    Batch,
    /// Coordinate descent on a growing set of entries or groups: [`WorkingSet`](super::WorkingSet).
    WorkingSet,
    /// Quasi-Newton steps on the forward–backward envelope: [`Panoc`](super::Panoc).
    Panoc,
    /// Batches of terms one after the other, then one prox: [`IncrementalPass`](crate::gradient::IncrementalPass).
    Incremental,
    /// One batch of terms a step: [`MiniBatch`](crate::gradient::MiniBatch).
    MiniBatch,
    /// Occasional whole gradients, corrected by batches in between: [`Page`](crate::gradient::Page).
    Page,
    /// Batches, with a remembered gradient for every term: [`Saga`](crate::gradient::Saga).
    Saga,
}

crate::names!("method", Algorithm:
    "batch" => Batch,
    "working-set" => WorkingSet,
    "panoc" => Panoc,
    "incremental" => Incremental,
    "mini-batch" => MiniBatch,
    "page" => Page,
    "saga" => Saga,
);
