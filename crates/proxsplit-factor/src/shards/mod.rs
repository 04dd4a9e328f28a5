//! Columns that live in shards, in this process or on other machines.
//!
//! φ is a sum over columns, and codes are a function of X. So a [`Shard`] owns some columns and their codes, and all that ever leaves it
//! is its [`Answer`] to "here is X": AYᵀ, AAᵀ and a few sums. A shard has no state that cannot be made again from its data and X: one that
//! was lost answers after it was rebuilt as if it had just begun. [`Sharded`] holds X and the method; between the two are plain arrays,
//! which [`Shards`] carries over whatever wire there is.
//!
//! Answers are added in the order of the shards, not of the machines: the same bits for every number of workers.

mod aggregated;
mod batch;
mod center;
mod faults;
mod incremental;
mod look;
mod messages;
mod shard;
mod sharded;
mod start;
mod state;

pub use messages::{Answer, Change, Header, Request, Task};
pub use shard::Shard;
pub use sharded::Sharded;

use crate::products::Lanes;
use proxsplit::Error;

/// Where the shards are: carries a request to all of them and brings back their answers.
pub trait Shards<T>: Send + Sync {
    /// An answer of every shard, in the order of the shards. A shard that is late or lost may have none, unless the request needs all.
    /// No shard sees a request twice; one that has missed one must [forget](Shard::forget) its codes before the next. `Err` ends the run.
    fn ask(&mut self, request: &Request<'_, T>) -> Result<Vec<Option<Answer<T>>>, Error>;
}

/// Shards in this process.
#[derive(Debug)]
pub struct Local<'s, 'a, T: Lanes> {
    /// In their order.
    pub shards: &'s mut [Shard<'a, T>],
}

impl<T: Lanes> Shards<T> for Local<'_, '_, T> {
    fn ask(&mut self, request: &Request<'_, T>) -> Result<Vec<Option<Answer<T>>>, Error> {
        let shards = self.shards.iter_mut();
        Ok(shards.map(|shard| Some(shard.answer(request))).collect())
    }
}
