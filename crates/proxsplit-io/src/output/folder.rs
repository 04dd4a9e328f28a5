//! A folder for results, checked before the work begins.

use super::{atomic, refuse_to_replace};
use crate::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// A folder that exists, can be written to, and has no result that must be kept.
///
/// If it had to be made and is still empty in the end, it is removed again.
#[derive(Debug)]
pub struct OutputDir {
    path: PathBuf,
    /// The folders that were made for it, the innermost first.
    made: Vec<PathBuf>,
}

/// Where files wait until the result is whole.
const ASIDE: &str = ".partial";

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
        let missing = path.ancestors().take_while(|folder| !folder.exists());
        let made = missing.map(Path::to_owned).collect();
        let folder = Self { path, made };
        let path = &folder.path;
        fs::create_dir_all(path).map_err(|cause| Error::system("create", path, cause))?;
        if let Some(name) = results.iter().find(|name| path.join(name).exists())
            && !overwrite
        {
            let path = path.join(name);
            return Err(Error::Exists { path });
        }
        let probe = path.join("write-test");
        atomic::write(&probe, &mut |_| Ok(()))?;
        fs::remove_file(&probe).map_err(|cause| Error::system("write", &probe, cause))?;
        Ok(folder)
    }

    /// `Err` if one of the `results` would take the place of one of the `inputs`, whether overwriting is allowed or not.
    pub fn protect(&self, results: &[&str], inputs: &[impl AsRef<Path>]) -> Result<(), Error> {
        results
            .iter()
            .try_for_each(|name| refuse_to_replace(self.file(name), inputs))
    }

    /// Lets `fill` write a result into another folder; when all of it is there, it takes the place of the files `names`.
    ///
    /// After an error the earlier result is as it was. The first of `names` goes first and comes last, so that its presence
    /// means that a result is whole, even after a kill.
    pub fn replace<T, E: From<Error>>(
        &self,
        names: &[&str],
        fill: impl FnOnce(&OutputDir) -> Result<T, E>,
    ) -> Result<T, E> {
        let aside = Aside::within(&self.path)?;
        let filled = fill(&aside.0)?;
        self.exchange(&aside.0.path, names)
            .map_err(|cause| Error::system("write", &self.path, cause))?;
        Ok(filled)
    }

    fn exchange(&self, aside: &Path, names: &[&str]) -> io::Result<()> {
        for name in names {
            match fs::remove_file(self.path.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        let new = fs::read_dir(aside)?.map(|entry| Ok(entry?.file_name()));
        let mut new = new.collect::<io::Result<Vec<OsString>>>()?;
        new.sort_by_key(|name| names.first().is_some_and(|first| name == first));
        for name in new {
            fs::rename(aside.join(&name), self.path.join(&name))?;
        }
        atomic::sync_folder(&self.path);
        Ok(())
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

impl Drop for OutputDir {
    fn drop(&mut self) {
        for folder in &self.made {
            // Fails if there is something in it, as it should.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// A folder that goes away with all that is in it.
struct Aside(OutputDir);

impl Aside {
    fn within(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(ASIDE);
        // A killed run may have left one.
        let _ = fs::remove_dir_all(&path);
        OutputDir::create(path, &[], false).map(Self)
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        // Nothing can be done if this fails.
        let _ = fs::remove_dir_all(&self.0.path);
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

    #[test]
    fn only_folders_that_were_made_for_nothing_are_removed() {
        let base = tempfile::tempdir().unwrap();
        drop(OutputDir::create(base.path().join("a/b"), &[], false).unwrap());
        assert!(!base.path().join("a").exists());
        fs::create_dir(base.path().join("a")).unwrap();
        drop(OutputDir::create(base.path().join("a"), &[], false).unwrap());
        let folder = OutputDir::create(base.path().join("a/b"), &[], false).unwrap();
        fs::write(folder.file("x"), "").unwrap();
        drop(folder);
        assert!(base.path().join("a/b/x").exists());
    }

    #[test]
    fn a_result_is_replaced_as_a_whole_or_not_at_all() {
        let base = tempfile::tempdir().unwrap();
        let folder = OutputDir::create(base.path(), &[], false).unwrap();
        for (name, text) in [("run.json", "old"), ("X.npy", "old"), ("other", "kept")] {
            fs::write(folder.file(name), text).unwrap();
        }
        let names = ["run.json", "X.npy", "X.npz"];
        let read = |name| fs::read_to_string(base.path().join(name)).ok();
        let failed: Result<(), Error> = folder.replace(&names, |aside| {
            fs::write(aside.file("X.npz"), "half").unwrap();
            Err(Error::system(
                "write",
                aside.path(),
                io::ErrorKind::StorageFull.into(),
            ))
        });
        assert!(failed.is_err());
        assert_eq!(
            (read("run.json"), read("X.npz")),
            (Some("old".into()), None)
        );
        let replaced: Result<(), Error> = folder.replace(&names, |aside| {
            fs::write(aside.file("run.json"), "new").unwrap();
            fs::write(aside.file("X.npz"), "new").unwrap();
            Ok(())
        });
        assert!(replaced.is_ok());
        assert_eq!(
            (read("run.json"), read("X.npz")),
            (Some("new".into()), Some("new".into()))
        );
        assert_eq!((read("X.npy"), read("other")), (None, Some("kept".into())));
        assert_eq!(fs::read_dir(base.path()).unwrap().count(), 3);
    }
}
