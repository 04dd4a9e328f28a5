//! The pages, and the blocks of code in them.

use std::fs;
use std::path::{Path, PathBuf};

pub(super) struct Page {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// Lines between two fences: the language, and which lines of the page they are.
pub(super) struct Block {
    pub(super) language: String,
    pub(super) lines: std::ops::Range<usize>,
}

/// The top of the tree.
pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The README and its neighbours, and all pages of the book.
pub(super) fn pages() -> Vec<Page> {
    let mut paths = Vec::new();
    for folder in [".", "docs/src", "docs/src/experiments", "fuzz/judge"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|end| end == "md") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let page = |path: PathBuf| Page {
        text: fs::read_to_string(&path).unwrap(),
        path,
    };
    let pages: Vec<Page> = paths.into_iter().map(page).collect();
    assert!(pages.len() > 20, "the book is gone");
    pages
}

impl Page {
    pub(super) fn name(&self) -> String {
        let root = root();
        let inside = self.path.strip_prefix(&root).unwrap();
        inside.display().to_string()
    }

    pub(super) fn lines(&self) -> Vec<&str> {
        self.text.lines().collect()
    }

    pub(super) fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut open: Option<(String, usize)> = None;
        for (at, line) in self.text.lines().enumerate() {
            let Some(language) = line.trim_start().strip_prefix("```") else {
                continue;
            };
            open = match open {
                None => Some((language.to_owned(), at + 1)),
                Some((language, from)) => {
                    blocks.push(Block {
                        language,
                        lines: from..at,
                    });
                    None
                }
            };
        }
        assert!(open.is_none(), "{}: a block does not end", self.name());
        blocks
    }
}
