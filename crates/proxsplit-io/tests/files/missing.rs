//! Files with missing entries: refused with a remedy, or read as NaN.

use super::{entries, refusal};
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit_io::{Data, Nan, write_npy};
use std::path::Path;

const OR: Nan = Nan::Refused {
    or: ", or go without",
};

/// Rows of numbers, NaN as -1.
fn rows(path: &Path) -> Vec<Vec<f64>> {
    let data = Data::open_with(path, Nan::Missing).unwrap();
    let mut rows = entries(data.matrix());
    for value in rows.iter_mut().flatten() {
        *value = if value.is_nan() { -1.0 } else { *value };
    }
    rows
}

/// The rows of a file that is refused unless NaN is admitted.
fn read(name: &str, text: &str) -> Vec<Vec<f64>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    for (nan, words) in [(Nan::Refused { or: "" }, ""), (OR, ", or go without")] {
        let message = Data::open_with(&path, nan).unwrap_err().to_string();
        assert!(message.contains("line "), "{message}");
        assert!(message.ends_with(words), "{message}");
    }
    assert!(!refusal(&path).contains("go without"));
    rows(&path)
}

#[test]
fn tables() {
    assert_eq!(read("y.csv", "a,b\n1,\n,4\n"), [[1.0, -1.0], [-1.0, 4.0]]);
    assert_eq!(
        read("y.csv", "NA,NaN\nnan,2\n"),
        [[-1.0, -1.0], [-1.0, 2.0]]
    );
    assert_eq!(read("y.csv", ",0.5\n2,\n"), [[-1.0, 0.5], [2.0, -1.0]]);
    assert_eq!(read("y.csv", "id,a\nx,1\ny,\n"), [[1.0], [-1.0]]);
    // A row of which nothing is known is a row.
    let rows = read("y.tsv", "1\tNA\n\t\n2\t3\n\n");
    assert_eq!(rows, [[1.0, -1.0], [-1.0, -1.0], [2.0, 3.0]]);
}

#[test]
fn matrix_market() {
    let head = "%%MatrixMarket matrix coordinate real general\n";
    let rows = read("y.mtx", &format!("{head}2 2 2\n1 1 nan\n2 2 5\n"));
    assert_eq!(rows, [[-1.0, 0.0], [0.0, 5.0]]);
    let head = "%%MatrixMarket matrix array real general\n";
    let rows = read("y.mtx", &format!("{head}2 2\n1\nnan\n3\n4\n"));
    assert_eq!(rows, [[1.0, 3.0], [-1.0, 4.0]]);
}

#[test]
fn arrays_stay_mapped_and_infinity_stays_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("y.npy");
    let write = |values: &[f64]| {
        let dense = Dense::new(2, 2, StorageOrder::RowMajor, Elements::F64(values)).unwrap();
        write_npy(&path, dense).unwrap();
    };
    write(&[1.0, 2.0, f64::NAN, 4.0]);
    let data = Data::open_with(&path, Nan::Missing).unwrap();
    assert!(entries(data.matrix())[1][0].is_nan());
    assert!(data.describe().ends_with("memory-mapped"));
    let message = Data::open_with(&path, OR).unwrap_err().to_string();
    assert!(message.ends_with(
        "row 1, column 0 (counting from 0) is NaN; remove or replace it, or go without"
    ));
    write(&[1.0, f64::NAN, f64::INFINITY, 4.0]);
    let message = Data::open_with(&path, Nan::Missing)
        .unwrap_err()
        .to_string();
    assert!(
        message.ends_with("row 1, column 0 (counting from 0) is inf; remove or replace it"),
        "{message}"
    );
}
