//! `.npz`: a zip archive of `.npy` arrays, dense or as `scipy.sparse.save_npz` writes a sparse matrix.

mod archive;
mod sparse;
pub(crate) mod write;

use crate::content::Content;
use crate::error::{Error, Fault};
pub(crate) use archive::Archive;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

/// Reads a file; `key` chooses one of several arrays.
pub(crate) fn open(path: &Path, key: Option<&str>) -> Result<Content, Error> {
    let file = File::open(path).map_err(|cause| Error::system("read", path, cause))?;
    parse(BufReader::new(file), key).map_err(|fault| fault.of(path))
}

pub(crate) fn parse<R: Read + Seek>(source: R, key: Option<&str>) -> Result<Content, Fault> {
    let mut archive = Archive::new(source)?;
    let names = archive.names();
    if key.is_none() && names.iter().any(|name| name == "format") {
        return sparse::read(&mut archive);
    }
    let name = match (key, &names[..]) {
        (Some(key), _) if names.iter().any(|name| name == key) => key,
        (None, [only]) => only,
        (Some(key), _) => {
            return Err(Fault::whole(format!(
                "there is no array '{key}'; {}",
                list(&names)
            )));
        }
        (None, []) => return Err(Fault::whole("the archive has no arrays")),
        (None, _) => {
            return Err(Fault::whole(format!(
                "there are several arrays; choose one with file.npz:name; {}",
                list(&names)
            )));
        }
    };
    let (header, values) = archive.array(name)?;
    let (rows, cols) = header.matrix().map_err(|fault| fault.in_array(name))?;
    Ok(Content::dense(rows, cols, header.order, values))
}

fn list(names: &[String]) -> String {
    format!("the file has: {}", names.join(", "))
}
