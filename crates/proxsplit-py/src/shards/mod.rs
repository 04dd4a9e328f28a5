//! Shards and the center of a run over them. How an order gets to the shards is Python's affair: here are the two ends of the wire.

mod center;
mod shard;

pub(crate) use center::factorize_shards;
pub(crate) use shard::Shard;
