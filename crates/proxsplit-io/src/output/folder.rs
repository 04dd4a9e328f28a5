//! A folder for results, checked before the work begins.

use super::atomic;
use crate::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder that exists, can be written to, and has no result that must be kept.
#[derive(Debug, Clone)]
pub struct OutputDir {
    path: PathBuf,
}

impl OutputDir {
    /// Makes the folder where it is missing. If one of the `results` is there it is refused, unless `overwrite`.
    ///
    /// A small file is written and removed, so that a folder without write access is found now and not after the run.
    pub fn create(
        path: impl Into<PathBuf>,
        results: &[&str],
        overwrite: bool,
    ) -> Result<Self, Error> {
        let path = path.into();
        fs::create_dir_all(&path).map_err(|cause| Error::system("create", &path, cause))?;
        if let Some(name) = results.iter().find(|name| path.join(name).exists())
            && !overwrite
        {
            let path = path.join(name);
            return Err(Error::Exists { path });
        }
        let probe = path.join("write-test");
        atomic::write(&probe, |_| Ok(()))?;
        fs::remove_file(&probe).map_err(|cause| Error::system("write", &probe, cause))?;
        Ok(Self { path })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_kept_unless_overwriting_is_allowed() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("a/b");
        let results = ["X.npy", "run.json"];
        let folder = OutputDir::create(&path, &results, false).unwrap();
        assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
        fs::write(folder.file("run.json"), "{}").unwrap();
        let refused = OutputDir::create(&path, &results, false).unwrap_err();
        assert!(matches!(refused, Error::Exists { path } if path.ends_with("run.json")));
        assert!(OutputDir::create(&path, &results, true).is_ok());
        assert!(OutputDir::create(&path, &["A.npy"], false).is_ok());
    }

    #[test]
    fn a_file_in_place_of_the_folder_is_refused() {
        let base = tempfile::tempdir().unwrap();
        let file = base.path().join("file");
        fs::write(&file, "").unwrap();
        let message = OutputDir::create(file.join("x"), &[], false)
            .unwrap_err()
            .to_string();
        assert!(message.contains("is a file, not a folder"), "{message}");
    }
}
