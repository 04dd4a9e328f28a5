//! Sparse and nonnegative matrix factorization: min ½‖Y − XA‖² + ψ₀(X) + Σ_t ψ(a_t), or with another [`Loss`].
//!
//! Y is a view of dense or sparse data of any stored type; ψ₀ and ψ are any operators of [`proxsplit`], sets included. NMF,
//! sparse NMF, dictionary learning, sparse PCA and simplex-constrained codes are settings, not code paths.
//!
//! ```
//! use proxsplit::{Stop, data::{Dense, Elements, StorageOrder}, run, set::NonNeg};
//! use proxsplit_factor::{Data, Factorization, Problem, Settings};
//! let y = [1.0, 2.0, 2.0, 4.0, 3.0, 6.0];
//! let data = Data::<f64>::new(Dense::new(2, 3, StorageOrder::ColumnMajor, Elements::F64(&y))?.into(), 1.0)?;
//! let problem = Problem::new(&data, 1, &NonNeg, &NonNeg)?;
//! let mut nmf = Factorization::new(problem, Settings::default(), None)?;
//! let report = run(&mut nmf, &Stop { passes: 50.0, ..Stop::default() }, ());
//! assert!(report.certificate.at_point.objective < 1e-12);
//! # Ok::<(), proxsplit::Error>(())
//! ```

mod audit;
mod balance;
mod bound;
mod codes;
mod consensus;
mod description;
mod encode;
mod factorization;
mod fixed;
mod generate;
mod graph;
mod init;
mod look;
mod loss;
mod membership;
mod method;
mod misfit;
mod missing;
mod outliers;
mod plain;
mod pool;
mod problem;
mod products;
mod rank;
mod revive;
mod settings;
mod shards;
mod state;
mod visits;
mod weights;
mod words;
mod work;

pub use audit::{Audit, audit};
pub use consensus::{ALIKE, Consensus, ReturnedAtom};
pub use description::{Description, Dtype, Samples};
pub use encode::encode;
pub use factorization::Factorization;
pub use generate::Generated;
pub use graph::Graph;
pub use loss::Loss;
pub use membership::Outside;
pub use missing::Missing;
pub use outliers::{Outlier, Outliers};
pub use problem::{Factors, Problem};
pub use products::{Data, Lanes};
pub use rank::{Choice, Fit, FitKind, RankPlan, RankRow, RankSearch, Searched};
pub use settings::{Init, Inner, Method, Metric, Settings, Step};
pub use shards::{Answer, Change, Header, Local, Request, Shard, Sharded, Shards, Task};
pub use state::State;
pub use weights::Weights;

/// The code of the book's page about the API runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/api.md")]
struct Book;
