//! `.h5ad` of anndata and `.h5` of the 10x software: matrices in HDF5 files.
//!
//! The container is read by the crate `hdf5-reader`, which keeps to the limits given here before it asks for memory, and
//! follows no links to other files. Which of the two layouts a file has is seen by its groups.

mod anndata;
mod lzf;
mod store;
mod tenx;

use crate::content::Content;
use crate::error::Fault;
use hdf5_reader::Hdf5File;
use std::path::Path;
use store::Store;

/// Reads a file; `layer` chooses a layer of an `.h5ad` in place of `X`.
pub(crate) fn open(path: &Path, layer: Option<&str>) -> Result<Content, Fault> {
    let size = std::fs::metadata(path)?.len();
    let file = Hdf5File::open_with_options(path, store::limits(size));
    read(&Store::new(file)?, layer)
}

/// Reads from memory.
pub(crate) fn parse(bytes: Vec<u8>, layer: Option<&str>) -> Result<Content, Fault> {
    let limits = store::limits(bytes.len() as u64);
    let file = Hdf5File::from_vec_with_options(bytes, limits);
    read(&Store::new(file)?, layer)
}

fn read(store: &Store, layer: Option<&str>) -> Result<Content, Fault> {
    let (groups, arrays) = store.members("/")?;
    let has = |names: &[String], name: &str| names.iter().any(|known| known == name);
    if has(&groups, "X") || has(&arrays, "X") || layer.is_some() && has(&groups, "layers") {
        return anndata::read(store, layer);
    }
    if layer.is_some() {
        return Err(Fault::whole("there are no layers in this file"));
    }
    if let Some(group) = tenx::group(store, &groups)? {
        return tenx::read(store, group);
    }
    Err(Fault::whole(format!(
        "this is neither an .h5ad file, which has X, nor a 10x file, which has matrix/data; it has: {}",
        [groups, arrays].concat().join(", ")
    )))
}
