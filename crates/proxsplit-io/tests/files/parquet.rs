//! Tables as pandas, polars and pyarrow write them (`tests/data/make.py`), and damaged ones.

use super::{entries, fixture, refusal, sample};
use proptest::prelude::*;
use proptest::sample::Index;
use proxsplit_io::{CsvOptions, Data, Format, Nan, Reading};
use std::path::PathBuf;

/// Files with the sample: their codecs and encodings differ.
const NAMED: [&str; 5] = ["pandas", "first", "polars", "gzip", "delta"];

fn table(name: &str) -> PathBuf {
    fixture(&format!("parquet/{name}.parquet"))
}

fn labels(answer: bool) -> Reading {
    Reading {
        csv: CsvOptions {
            labels: Some(answer),
            ..CsvOptions::default()
        },
        ..Reading::default()
    }
}

#[test]
fn numbers_and_names_of_every_writer() {
    for name in NAMED {
        let data = Data::open(table(name)).unwrap();
        assert_eq!(entries(data.matrix()), sample(), "{name}");
        let names = data.labels();
        assert_eq!(names.rows.as_deref().unwrap(), ["r1", "r2", "r3"], "{name}");
        assert_eq!(
            names.columns.as_deref().unwrap(),
            ["a", "b", "c", "d"],
            "{name}"
        );
        let bytes = std::fs::read(table(name)).unwrap();
        let copied = Data::from_bytes(Format::Parquet, &bytes).unwrap();
        assert_eq!(copied.digest(), data.digest(), "{name}");
    }
    assert_eq!(
        Data::open(table("first")).unwrap().describe(),
        "3 × 4 uint8, dense, column-major; columns a, b, …, row names in the column gene"
    );
}

#[test]
fn number_types_are_kept_or_widened() {
    let float = Data::open(table("float")).unwrap();
    assert_eq!(entries(float.matrix()), sample());
    assert_eq!(
        float.describe(),
        "3 × 4 float32, dense, column-major; columns a, b, …, no row names"
    );
    let mixed = Data::open(table("mixed")).unwrap();
    let expected = [
        [1.0, 1.0, 0.5],
        [0.0, 4_294_967_295.0, 1.0],
        [1.0, 3.0, 2.0],
    ];
    assert_eq!(entries(mixed.matrix()), expected);
    let message = refusal(table("large"));
    assert!(
        message.contains("column 'a': row 2 is an integer beyond ±2⁵³"),
        "{message}"
    );
}

#[test]
fn the_option_decides_about_names() {
    let numbers = Data::read(table("mixed"), &labels(true)).unwrap();
    assert_eq!(
        numbers.labels().rows.as_deref().unwrap(),
        ["1", "0", "1"],
        "numbers become names"
    );
    assert_eq!(numbers.matrix().cols(), 2);
    let message = Data::read(table("first"), &labels(false)).unwrap_err();
    assert!(
        message
            .to_string()
            .contains("column 'gene': the column holds text"),
        "{message}"
    );
}

#[test]
fn nulls_are_missing_entries() {
    let message = refusal(table("nulls"));
    assert!(
        message.ends_with(
            "column 'a': row 2 is missing (null); fill it or leave out the row or column"
        ),
        "{message}"
    );
    let or = Nan::Refused { or: ", or else" };
    let message = Data::open_with(table("nulls"), or).unwrap_err().to_string();
    assert!(message.ends_with("column, or else"), "{message}");
    let data = Data::open_with(table("nulls"), Nan::Missing).unwrap();
    let rows = entries(data.matrix());
    assert!(rows[1][0].is_nan() && rows[0][1].is_nan());
    assert_eq!(
        [rows[0][0], rows[2][0], rows[1][1], rows[2][1]],
        [1.0, 3.0, 5.0, 6.0]
    );
}

#[test]
fn what_is_no_matrix_is_refused() {
    for (name, words) in [
        ("nested", "column 'b': the column is nested"),
        ("struct", "column 'a': the column is nested"),
        (
            "dates",
            "column 'b': the column holds values of the type Date",
        ),
        (
            "decimal",
            "column 'a': the column holds values of the type Decimal",
        ),
        ("texts", "column 'c': the column holds text, but only one"),
        (
            "last",
            "column 'b': the column holds text, but only the first",
        ),
        ("none", "the matrix is empty (0 × 1)"),
        ("bare", "the matrix is empty (0 × 0)"),
        ("brotli", "column 'a': BROTLI compression is not supported"),
    ] {
        let message = refusal(table(name));
        assert!(message.contains(words), "{name}: {message}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("y.parquet");
    for bytes in [
        &b""[..],
        b"PAR1",
        b"a,b\n1,2\n",
        b"PAR1\xff\xff\xff\x7fPAR1",
    ] {
        std::fs::write(&path, bytes).unwrap();
        let message = refusal(&path);
        assert!(
            message.contains("not a parquet file, or it was cut off"),
            "{message}"
        );
    }
}

#[test]
fn the_content_tells_the_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    std::fs::copy(table("polars"), &path).unwrap();
    assert_eq!(entries(Data::open(&path).unwrap().matrix()), sample());
}

#[test]
fn files_cut_off_anywhere_are_refused() {
    for name in NAMED {
        let bytes = std::fs::read(table(name)).unwrap();
        for length in 0..bytes.len() {
            let cut = Data::from_bytes(Format::Parquet, &bytes[..length]);
            assert!(cut.is_err(), "{name} cut to {length} bytes");
        }
    }
}

proptest! {
    #[test]
    fn no_change_makes_the_reader_panic(
        which in any::<Index>(),
        changes in prop::collection::vec((any::<Index>(), any::<u8>()), 1..4)
    ) {
        let names = [&NAMED[..], &["float", "mixed", "nulls"]].concat();
        let mut bytes = std::fs::read(table(names[which.index(names.len())])).unwrap();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(data) = Data::from_bytes(Format::Parquet, &bytes) {
            prop_assert!(entries(data.matrix()).iter().flatten().all(|v| v.is_finite()));
        }
    }
}
