//! A folder to work in, and the program in it.

use proxsplit::Mat;
use proxsplit::Matrix;
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit_io::Data;
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};
use tempfile::TempDir;

pub(crate) struct Bench {
    folder: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a matrix, given row by row.
    pub(crate) fn matrix(&self, name: &str, cols: usize, values: &[f64]) {
        let rows = values.len() / cols;
        let dense = Dense::new(rows, cols, StorageOrder::RowMajor, Elements::F64(values)).unwrap();
        proxsplit_io::write_npy(self.path(name), dense).unwrap();
    }

    pub(crate) fn vector(&self, name: &str, values: &[f64]) {
        proxsplit_io::write_npy_vector(self.path(name), Elements::F64(values)).unwrap();
    }

    /// The program, with words that are separated by spaces.
    pub(crate) fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_proxsplit"));
        command
            .current_dir(self.folder.path())
            .args(words.split_whitespace());
        command
    }

    pub(crate) fn run(&self, words: &str) -> Ran {
        Ran::of(words, &self.command(words).output().unwrap())
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).unwrap()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn write_gzip(&self, name: &str, text: &str) {
        let mut packed = flate2::read::GzEncoder::new(text.as_bytes(), flate2::Compression::fast());
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut packed, &mut bytes).unwrap();
        std::fs::write(self.path(name), bytes).unwrap();
    }

    /// A matrix file as a dense matrix.
    pub(crate) fn dense(&self, name: &str) -> Mat<f64> {
        let data = Data::open(self.path(name)).unwrap();
        match data.matrix() {
            Matrix::Dense(dense) => {
                Mat::from_fn(dense.rows(), dense.cols(), |i, j| dense.get(i, j))
            }
            Matrix::Sparse(sparse) => {
                assert_eq!(sparse.order(), StorageOrder::ColumnMajor);
                let mut dense = Mat::zeros(sparse.rows(), sparse.cols());
                for j in 0..sparse.cols() {
                    for at in sparse.starts().get(j)..sparse.starts().get(j + 1) {
                        dense.col_mut(j)[sparse.indices().get(at)] = sparse.elements().get(at);
                    }
                }
                dense
            }
        }
    }

    /// The names of what is in the folder.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(folder)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

/// What a call has printed, and its exit code.
#[derive(Debug)]
pub(crate) struct Ran {
    words: String,
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(words: &str, output: &Output) -> Self {
        Self {
            words: words.to_owned(),
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    pub(crate) fn done(self) -> Self {
        assert_eq!(self.code, Some(0), "{}: {self:#?}", self.words);
        self
    }

    pub(crate) fn json(self) -> Value {
        let done = self.done();
        serde_json::from_str(&done.out).unwrap_or_else(|error| panic!("{error}: {done:#?}"))
    }

    /// Failed with this code and a message that has all the words; nothing on standard output.
    pub(crate) fn refused(self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:#?}");
        for word in words {
            assert!(self.err.contains(word), "'{word}' is missing: {self:#?}");
        }
        assert_eq!(self.out, "", "{self:#?}");
    }
}
