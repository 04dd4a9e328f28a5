//! What a command reads is never overwritten by what it writes, `--force` or not; and earlier results only with it.

use anyhow::{anyhow, bail};
use proxsplit_io::OutputDir;
use std::path::{Path, PathBuf};

/// A folder for results in which none of these files is there yet, unless `force`. A refusal says what else helps.
pub(crate) fn folder(
    path: PathBuf,
    kept: &[&str],
    force: bool,
    remedy: &str,
) -> anyhow::Result<OutputDir> {
    OutputDir::create(path, kept, force).map_err(|error| match error {
        proxsplit_io::Error::Exists { path } => anyhow!(
            "{} already exists{remedy}, --out chooses another folder",
            path.display()
        ),
        other => other.into(),
    })
}

/// What helps where a run may have left a checkpoint.
pub(crate) fn with_checkpoint(is_missing: bool) -> &'static str {
    if is_missing {
        ", and there is no checkpoint to continue from; --force starts over"
    } else {
        "; --resume continues from a checkpoint, --force starts over"
    }
}

/// Refuses if a file that is to be written is one of those that are read. Links are followed, so that a file is recognized
/// under another name.
pub(crate) fn refuse(
    written: impl IntoIterator<Item = PathBuf>,
    read: &[PathBuf],
) -> anyhow::Result<()> {
    // A file that is not there yet is none that is read.
    let read: Vec<PathBuf> = read.iter().filter_map(|p| p.canonicalize().ok()).collect();
    for path in written {
        if let Ok(real) = path.canonicalize()
            && read.contains(&real)
        {
            bail!(
                "the result would overwrite {}, which this command reads; choose another place with --out",
                path.display()
            );
        }
    }
    Ok(())
}

/// The file of a data source: `a.npz` of `a.npz:key`.
pub(crate) fn file_of(source: &str) -> PathBuf {
    let path = Path::new(source);
    match source.rsplit_once(':') {
        Some((file, _)) if !path.exists() => file.into(),
        _ => path.into(),
    }
}

/// The factors that a folder may have.
pub(crate) fn factors_in(folder: &Path) -> Vec<PathBuf> {
    ["X.npy", "X.npz", "A.npy", "A.npz"]
        .map(|name| folder.join(name))
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_recognized_under_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("out")).unwrap();
        std::fs::write(path("out/X.npy"), "").unwrap();
        let read = [path("out/../out/X.npy"), path("gone.npy")];
        let error = refuse([path("out/A.npy"), path("out/X.npy")], &read).unwrap_err();
        assert!(error.to_string().contains("out/X.npy"), "{error}");
        refuse([path("out/A.npy"), path("gone.npy")], &read).unwrap();
    }

    #[test]
    fn a_key_is_no_part_of_the_file() {
        assert_eq!(file_of("no/a.npz:key"), PathBuf::from("no/a.npz"));
        assert_eq!(file_of("no/a.npz"), PathBuf::from("no/a.npz"));
    }
}
