//! What is said between the center and the shards: a small header, which can be written as JSON, and plain arrays.

use proxsplit::Real;
use proxsplit::internal::linalg::vec::axpy;
use serde::{Deserialize, Serialize};

/// What to do with the codes before a task: decisions that were made after the last answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Change {
    /// The last pass is lost: the codes are those from before it.
    TakeBack,
    /// Nothing runs ahead any more.
    Restart,
    /// The codes that ran ahead are the codes.
    GoAhead,
    /// Back to where the last plain pass ended.
    GoToPlain,
    /// Here a plain pass has ended.
    KeepPlain,
    /// Codes are multiplied, one number an atom.
    Scale(Vec<f64>),
    /// The codes of the last look are worth keeping.
    Keep,
    /// What this shard has found takes the place of a dead atom; the others do not use it.
    Replace {
        /// The shard.
        shard: usize,
        /// The atom.
        place: usize,
        /// Whether it was found at the codes of the last look, from which all go on; else at those that ran ahead.
        is_of_look: bool,
    },
}

/// What a shard is asked for. Sums and numbers of its answer are described at each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Task {
    /// Features, samples, ‖Y‖², and whether the data are sparse.
    Describe,
    /// Random codes. AAᵀ; ⟨XᵀY, A⟩.
    Draw {
        /// The seed of the run.
        seed: u64,
        /// What uniform numbers are multiplied by.
        unit: f64,
    },
    /// Random directions, or with X = Q those of QY. BYᵀ and BBᵀ.
    Sketch {
        /// How many, if they are random.
        random: Option<(usize, u64)>,
    },
    /// X is a small map of the directions: the squares of the positive and of the negative parts of the rows of what it makes of them.
    Halves,
    /// Codes for X, from nothing.
    Begin,
    /// A pass of `batch` at X. AYᵀ and AAᵀ of the codes that run ahead; their penalty, and the sizes of the codes.
    Pass {
        /// How far to run ahead.
        beta: f64,
    },
    /// The codes of some of the samples at X. Their AYᵀ and AAᵀ; ⟨XᵀY, A⟩.
    Visit {
        /// Which part, of how many.
        at: (usize, usize),
    },
    /// The penalty and the sizes of the codes.
    Sizes,
    /// Codes as exact as can be, for statements about X and them. AYᵀ and AAᵀ; what is true of A for X.
    Look {
        /// What the codes are multiplied by at first; nothing if empty.
        scale: Vec<f64>,
    },
    /// What the samples here would gain by another atom in a place that nobody uses. The atom; its gain.
    Escape {
        /// The atom.
        place: usize,
        /// Whether it is about the codes of the last look, and thorough; else about the codes that run ahead.
        is_of_look: bool,
    },
    /// The codes that were kept are the codes; codes for X if they are lost.
    Settle,
    /// The numbers of zeros among the codes.
    Zeros,
}

/// The small part of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// What comes first.
    pub before: Vec<Change>,
    /// Then this.
    pub task: Task,
}

/// What is sent to all shards.
#[derive(Debug, Clone, Copy)]
pub struct Request<'o, T> {
    /// What to do.
    pub header: &'o Header,
    /// Xᵀ, K × m, or what the task takes in its place.
    pub x: &'o [T],
    /// Whether every shard must answer. If not, the run goes on with an older answer of a shard that is late or lost.
    pub needs_all: bool,
}

/// What a shard sends back. Everything in it can be added to the answers of others, but for what an escape finds.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer<T> {
    /// Arrays, one after the other.
    pub sums: Vec<T>,
    /// The first number is 1 if the shard had no codes and has made them anew from X.
    pub numbers: Vec<f64>,
}

impl<T: Real> Answer<T> {
    /// Nothing was said yet.
    pub(super) const NONE: Self = Self {
        sums: Vec::new(),
        numbers: Vec::new(),
    };

    /// Adds an answer to the same request.
    pub(super) fn add(&mut self, other: &Self) {
        axpy(T::ONE, &other.sums, &mut self.sums);
        axpy(1.0, &other.numbers, &mut self.numbers);
    }
}
