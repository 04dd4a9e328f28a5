//! What can be wrong with a file.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A file that cannot be read or written: which one, where in it, why, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused.
    #[error("cannot {action} {}: {cause}{}", path.display(), advice(cause))]
    System {
        /// `read`, `write` or `create`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The content is not what its format asks for.
    #[error("{}{place}: {cause}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Where in the file.
        place: Place,
        /// What is wrong, and what to do.
        cause: String,
    },
    /// A result is already there.
    #[error("{} already exists; choose another folder, or allow overwriting", path.display())]
    Exists {
        /// The file in the way.
        path: PathBuf,
    },
    /// A result would take the place of a file that is read.
    #[error("{} is an input, and results never replace inputs; choose another folder or name", path.display())]
    Input {
        /// The file that is kept.
        path: PathBuf,
    },
}

impl Error {
    pub(crate) fn system(action: &'static str, path: &Path, cause: io::Error) -> Self {
        let path = path.to_owned();
        Self::System {
            action,
            path,
            cause,
        }
    }
}

/// What a user can do about the common refusals of the system.
fn advice(cause: &io::Error) -> &'static str {
    use io::ErrorKind as Kind;
    match cause.kind() {
        Kind::NotFound => "; check the name and that its folder exists",
        Kind::PermissionDenied => "; check its permissions",
        Kind::ReadOnlyFilesystem => "; choose a folder on a writable disk",
        Kind::StorageFull | Kind::QuotaExceeded => "; free some space or choose another disk",
        Kind::FileTooLarge => "; raise the file-size limit of the system or choose another disk",
        Kind::NotADirectory => "; a part of the path is a file, not a folder",
        _ => "",
    }
}

/// A position inside a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The file as a whole.
    Whole,
    /// A line of a text file, from 1.
    Line(usize),
    /// A byte of a binary file, from 0.
    Byte(u64),
    /// An array of an archive.
    Array(String),
    /// A column of a table that is stored by columns.
    Column(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Whole => Ok(()),
            Place::Line(line) => write!(f, ", line {line}"),
            Place::Byte(byte) => write!(f, ", byte {byte}"),
            Place::Array(name) => write!(f, ", array '{name}'"),
            Place::Column(name) => write!(f, ", column '{name}'"),
        }
    }
}

/// Wrong content in a stream that does not know its file's name.
#[derive(Debug)]
pub(crate) struct Fault {
    place: Place,
    cause: String,
}

impl Fault {
    pub(crate) fn new(place: Place, cause: impl Into<String>) -> Self {
        let cause = cause.into();
        Self { place, cause }
    }

    pub(crate) fn whole(cause: impl Into<String>) -> Self {
        Self::new(Place::Whole, cause)
    }

    pub(crate) fn line(line: usize, cause: impl Into<String>) -> Self {
        Self::new(Place::Line(line), cause)
    }

    #[cfg(feature = "parquet")]
    pub(crate) fn in_column(name: &str, cause: impl Into<String>) -> Self {
        Self::new(Place::Column(name.to_owned()), cause)
    }

    /// The same fault, known to be in an array of an archive.
    pub(crate) fn in_array(self, name: &str) -> Self {
        let cause = match self.place {
            Place::Byte(byte) => format!("byte {byte}: {}", self.cause),
            _ => self.cause,
        };
        Self::new(Place::Array(name.to_owned()), cause)
    }

    /// The same fault, with a general remark in front.
    pub(crate) fn because(self, remark: &str) -> Self {
        Self::new(self.place, format!("{remark} ({})", self.cause))
    }

    /// The same fault, met while reading on after a line.
    pub(crate) fn after_line(self, line: usize) -> Self {
        Self::line(line + 1, self.cause)
    }

    pub(crate) fn of(self, path: &Path) -> Error {
        let (path, place, cause) = (path.to_owned(), self.place, self.cause);
        Error::Content { path, place, cause }
    }
}

impl From<io::Error> for Fault {
    fn from(cause: io::Error) -> Self {
        let text = match cause.kind() {
            io::ErrorKind::UnexpectedEof => {
                "the file ends too early; it may have been cut off; copy it again".to_owned()
            }
            _ => format!("cannot read any further: {cause}"),
        };
        Self::whole(text)
    }
}

impl From<proxsplit::Error> for Fault {
    fn from(cause: proxsplit::Error) -> Self {
        Self::whole(cause.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_file_place_cause_and_remedy() {
        let path = Path::new("a.mtx");
        let content = Fault::line(7, "row 9 of 3").of(path).to_string();
        assert_eq!(content, "a.mtx, line 7: row 9 of 3");
        let missing = Error::system("read", path, io::ErrorKind::NotFound.into()).to_string();
        assert!(missing.starts_with("cannot read a.mtx: "), "{missing}");
        assert!(missing.ends_with("check the name and that its folder exists"));
    }
}
