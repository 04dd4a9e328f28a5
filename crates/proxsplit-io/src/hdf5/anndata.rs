//! The layout of anndata: `X` and `layers` are obs × var, dense or compressed sparse; names are the indices of `obs` and
//! `var`.

use super::store::{Store, wrong};
use crate::content::{Content, Labels};
use crate::error::Fault;
use proxsplit::data::StorageOrder;

pub(super) fn read(store: &Store, layer: Option<&str>) -> Result<Content, Fault> {
    let path = match layer {
        None => "X".to_owned(),
        Some(layer) => chosen(store, layer)?,
    };
    let content = matrix(store, &path)?;
    Ok(Content {
        labels: Labels {
            rows: names(store, "obs")?,
            columns: names(store, "var")?,
        },
        taken: format!("{path} of an .h5ad file: rows are obs, columns are var"),
        ..content
    })
}

/// Where a layer is.
fn chosen(store: &Store, layer: &str) -> Result<String, Fault> {
    let known = match store.members("layers") {
        Ok((groups, arrays)) => [groups, arrays].concat(),
        Err(_) => Vec::new(),
    };
    if known.iter().any(|name| name == layer) {
        return Ok(format!("layers/{layer}"));
    }
    let list = match &known[..] {
        [] => "the file has none".to_owned(),
        names => format!("the file has: {}", names.join(", ")),
    };
    Err(Fault::whole(format!("there is no layer '{layer}'; {list}")))
}

fn matrix(store: &Store, path: &str) -> Result<Content, Fault> {
    // Older versions have other names for the same.
    let format = ["encoding-type", "h5sparse_format"];
    let format = format.iter().find_map(|name| store.text_of(path, name));
    let order = match format.as_deref() {
        Some("csr_matrix" | "csr") => StorageOrder::RowMajor,
        Some("csc_matrix" | "csc") => StorageOrder::ColumnMajor,
        Some(other) => {
            return Err(wrong(
                path,
                format!("a matrix of the form '{other}' is not supported"),
            ));
        }
        None => return dense(store, path),
    };
    let shape = ["shape", "h5sparse_shape"];
    let shape = shape.iter().find_map(|name| store.shape_of(path, name));
    let shape = shape.ok_or_else(|| wrong(path, "the shape of the sparse matrix is missing"))?;
    store.sparse(path, shape, order)
}

fn dense(store: &Store, path: &str) -> Result<Content, Fault> {
    let (shape, values) = store.array(path)?;
    match shape[..] {
        [rows, cols] => Ok(Content::dense(rows, cols, StorageOrder::RowMajor, values)),
        _ => Err(wrong(
            path,
            format!("the array has {} axes; a matrix has 2", shape.len()),
        )),
    }
}

/// The index of `obs` or `var`. Files of the first versions keep it in a way that is not read: they have no names.
fn names(store: &Store, table: &str) -> Result<Option<Vec<String>>, Fault> {
    let Some(index) = store.text_of(table, "_index") else {
        return Ok(None);
    };
    let path = format!("{table}/{index}");
    let names = match store.text_of(&path, "encoding-type").as_deref() {
        Some("categorical") => categories(store, &path)?,
        Some(_) => store.texts(&format!("{path}/values"))?,
        None => store.texts(&path)?,
    };
    Ok(Some(names))
}

/// Texts that are numbered by `codes`.
fn categories(store: &Store, path: &str) -> Result<Vec<String>, Fault> {
    let names = store.texts(&format!("{path}/categories"))?;
    let codes = store.integers(&format!("{path}/codes"))?;
    let name = |&code: &i64| usize::try_from(code).ok().and_then(|code| names.get(code));
    codes
        .iter()
        .map(|code| name(code).cloned())
        .collect::<Option<_>>()
        .ok_or_else(|| wrong(path, "a code has no category"))
}
