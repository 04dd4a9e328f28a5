//! A result never takes the place of a file that is read.

use crate::error::Error;
use crate::format::split_key;
use std::fs;
use std::path::Path;

/// `Err` if `output` is one of the `inputs`, by the same name or another (a link, a detour through other folders).
///
/// An input may have the form `file.npz:key`, and need not exist: generated data has a name but no file.
pub fn refuse_to_replace(
    output: impl AsRef<Path>,
    inputs: &[impl AsRef<Path>],
) -> Result<(), Error> {
    let output = output.as_ref();
    let same = |input: &Path| is_same_file(output, split_key(input).0);
    if inputs.iter().any(|input| same(input.as_ref())) {
        let path = output.to_owned();
        return Err(Error::Input { path });
    }
    Ok(())
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other || has_same_inode(&one, &other),
        _ => false,
    }
}

#[cfg(unix)]
fn has_same_inode(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |path| {
        fs::metadata(path)
            .map(|found| (found.dev(), found.ino()))
            .ok()
    };
    place(one).is_some() && place(one) == place(other)
}

#[cfg(not(unix))]
fn has_same_inode(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OutputDir;

    #[test]
    fn an_input_is_known_by_any_of_its_names() {
        let base = tempfile::tempdir().unwrap();
        let path = |name: &str| base.path().join(name);
        fs::create_dir(path("sub")).unwrap();
        fs::write(path("A.npy"), "data").unwrap();
        fs::hard_link(path("A.npy"), path("linked.npy")).unwrap();
        fs::write(path("Y.npz"), "data").unwrap();
        let folder = OutputDir::create(base.path(), &[], true).unwrap();
        let refused = |input: &str| {
            let results = ["run.json", "X.npy", "A.npy", "Y.npz"];
            folder.protect(&results, &[path(input)]).is_err()
        };
        assert!(refused("A.npy"));
        assert!(refused("sub/../A.npy"));
        assert!(refused("Y.npz:key"));
        assert!(!refused("X.npy"), "there is none");
        assert!(!refused("swimmer"));
        if cfg!(unix) {
            assert!(refused("linked.npy"));
        }
        let message = folder
            .protect(&["A.npy"], &[path("A.npy")])
            .unwrap_err()
            .to_string();
        assert!(message.contains("A.npy is an input"), "{message}");
        assert_eq!(fs::read(path("A.npy")).unwrap(), b"data");
    }
}
