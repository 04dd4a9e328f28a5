//! A file is there as a whole or not at all: it is written under another name, synced and renamed.

use crate::error::Error;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// Writes a file by `content`. After an error, or a kill at any moment, a file that was there before is as it was.
///
/// The other name is always the same for the same file, so that killed runs do not fill the folder; two programs must not
/// write the same file at the same time.
pub(crate) fn write(
    path: &Path,
    content: &mut dyn FnMut(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), Error> {
    let failed = |cause| Error::system("write", path, cause);
    let partial = Partial(partial_name(path).map_err(failed)?);
    let file = File::create(&partial.0).map_err(failed)?;
    let mut out = BufWriter::with_capacity(1 << 18, file);
    content(&mut out).map_err(failed)?;
    let file = out.into_inner().map_err(|e| failed(e.into_error()))?;
    file.sync_all().map_err(failed)?;
    drop(file);
    fs::rename(&partial.0, path).map_err(failed)?;
    std::mem::forget(partial);
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => sync_folder(folder),
        _ => sync_folder(Path::new(".")),
    }
    Ok(())
}

/// A file that is removed unless it was finished.
struct Partial(PathBuf);

impl Drop for Partial {
    fn drop(&mut self) {
        // Nothing can be done if this fails too.
        let _ = fs::remove_file(&self.0);
    }
}

/// `folder/.name.partial`
fn partial_name(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(".partial");
    Ok(path.with_file_name(hidden))
}

/// Makes new names durable. Not every system can sync a folder, and the files themselves are safe: errors are ignored.
pub(super) fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn a_failed_write_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write(&path, &mut |out| out.write_all(b"old")).unwrap();
        let result = write(&path, &mut |out| {
            out.write_all(&vec![b'x'; 1 << 20])?;
            Err(io::ErrorKind::StorageFull.into())
        });
        let message = result.unwrap_err().to_string();
        assert!(
            message.ends_with("free some space or choose another disk"),
            "{message}"
        );
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("no/a.txt");
        let message = write(&path, &mut |_| Ok(())).unwrap_err().to_string();
        assert!(message.contains("no/a.txt") && message.contains("folder exists"));
    }
}
