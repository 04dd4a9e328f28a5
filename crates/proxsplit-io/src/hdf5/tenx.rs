//! The layout of the 10x software: a group with `data`, `indices`, `indptr` and `shape`, features × barcodes by columns,
//! and the names in `barcodes` and `features/name` (version 3) or `gene_names` (version 2).

use super::store::{Store, pair, wrong};
use crate::content::{Content, Labels};
use crate::error::Fault;
use proxsplit::data::StorageOrder;

/// The group with the matrix: `matrix`, or the only genome of a file of version 2.
pub(super) fn group<'a>(store: &Store, groups: &'a [String]) -> Result<Option<&'a str>, Fault> {
    let mut found = Vec::new();
    for name in groups {
        if store.members(name)?.1.iter().any(|array| array == "indptr") {
            found.push(name.as_str());
        }
    }
    match found[..] {
        [] => Ok(None),
        [only] => Ok(Some(only)),
        _ if found.contains(&"matrix") => Ok(Some("matrix")),
        _ => Err(Fault::whole(format!(
            "there are several matrices ({}); export one of them",
            found.join(", ")
        ))),
    }
}

pub(super) fn read(store: &Store, group: &str) -> Result<Content, Fault> {
    let path = |name: &str| format!("{group}/{name}");
    let shape = store.integers(&path("shape"))?;
    let shape = pair(&shape)
        .ok_or_else(|| wrong(&path("shape"), format!("{shape:?} is not rows and columns")))?;
    let content = store.sparse(group, shape, StorageOrder::ColumnMajor)?;
    let (groups, arrays) = store.members(group)?;
    // People know a gene by its name.
    let features = if groups.iter().any(|name| name == "features") {
        Some("features/name")
    } else {
        let known = |name: &&str| arrays.iter().any(|array| array == name);
        ["gene_names", "genes"].into_iter().find(known)
    };
    let barcodes = arrays.iter().any(|array| array == "barcodes");
    let labels = Labels {
        rows: features.map(|name| store.texts(&path(name))).transpose()?,
        columns: barcodes
            .then(|| store.texts(&path("barcodes")))
            .transpose()?,
    };
    Ok(Content {
        labels,
        taken: format!("{group} of a 10x file: rows are features, columns are barcodes"),
        ..content
    })
}
