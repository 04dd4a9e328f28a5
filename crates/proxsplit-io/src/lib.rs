//! Matrices, results and checkpoints as files.
//!
//! [`Data::open`] reads a matrix and keeps its numbers; algorithms borrow them as a
//! [`Matrix`](proxsplit::data::Matrix). A `.npy` file in one of the stored number types (`u8`, `i16`, `i32`, `f32`, `f64`)
//! is memory-mapped and never copied: it must not be changed or shortened while it is in use.
//!
//! Every reader checks sizes against what is really there before it asks for memory, and refuses with path, line or byte,
//! cause and remedy. Every writer writes under another name, syncs and renames.

// Sizes are checked against the type they are cast to where they come in.
#![allow(clippy::cast_possible_wrap)]

#[cfg(target_endian = "big")]
compile_error!("files are mapped as little-endian numbers; big-endian machines are not supported");

mod checkpoint;
mod compress;
mod content;
mod csv;
mod data;
mod digest;
mod error;
mod format;
#[cfg(feature = "hdf5")]
mod hdf5;
#[cfg(feature = "images")]
mod images;
mod map;
mod mtx;
mod nan;
mod npy;
mod npz;
mod output;
#[cfg(feature = "parquet")]
mod parquet;
mod reading;
mod stream;
mod tenx;
mod text;
mod values;

pub use checkpoint::{Array, Checkpoint};
pub use content::Labels;
pub use data::Data;
pub use error::{Error, Place};
pub use format::Format;
pub use nan::Nan;
pub use output::{
    OutputDir, refuse_to_replace, write_bytes, write_json, write_json_lines, write_npy,
    write_npy_vector, write_npz_sparse,
};
pub use reading::{CsvOptions, Reading};
