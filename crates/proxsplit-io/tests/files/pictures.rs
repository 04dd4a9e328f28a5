//! Pictures as Pillow and tifffile write them (`tests/data/make.py`), and damaged ones.

use super::{entries, fixture, refusal, sample};
use proptest::prelude::*;
use proptest::sample::Index;
use proxsplit_io::{Data, Format};
use std::fs;
use std::path::PathBuf;

const FILES: [&str; 8] = [
    "grey.png",
    "colour.png",
    "palette.png",
    "raw.pgm",
    "lzw.tif",
    "deflate.tif",
    "float.tif",
    "words.tif",
];

fn picture(name: &str) -> PathBuf {
    fixture("pictures").join(name)
}

/// The sample, its columns one below the other.
fn column() -> Vec<f64> {
    let sample = sample();
    (0..4)
        .flat_map(|j| sample.iter().map(move |row| row[j]).collect::<Vec<_>>())
        .collect()
}

#[test]
fn a_single_picture_is_a_matrix() {
    for name in FILES {
        let data = Data::open(picture(name)).unwrap();
        assert_eq!(entries(data.matrix()), sample(), "{name}");
        assert_eq!(data.image(), None, "{name}");
        let copied = Data::from_bytes(Format::Image, &fs::read(picture(name)).unwrap()).unwrap();
        assert_eq!(copied.digest(), data.digest(), "{name}");
    }
    let deep = Data::open(picture("deep.png")).unwrap();
    assert_eq!(entries(deep.matrix())[2], [4000.0, 5000.0, 0.0, 6000.0]);
    assert!(
        deep.describe().starts_with("3 × 4 int32"),
        "{}",
        deep.describe()
    );
    assert!(refusal(picture("transparent.png")).contains("flatten the picture first"));
}

#[test]
fn pages_become_columns() {
    let data = Data::open(picture("stack.tif")).unwrap();
    let matrix = entries(data.matrix());
    let first: Vec<f64> = matrix.iter().map(|row| row[0]).collect();
    assert_eq!(first, column());
    assert!(
        matrix
            .iter()
            .all(|row| row.len() == 2 && row[1] == row[0] + 1.0)
    );
    assert_eq!(data.image(), Some((3, 4)));
    assert_eq!(
        data.describe(),
        "12 × 2 uint8, dense, column-major; columns are pages of a TIFF file of 3 × 4 pixels, column by column"
    );
}

#[test]
fn a_folder_of_pictures_has_one_column_each() {
    let folder = tempfile::tempdir().unwrap();
    let copy = |from: &str, to: &str| {
        fs::copy(picture(from), folder.path().join(to)).unwrap();
    };
    copy("raw.pgm", "b.PGM");
    copy("grey.png", "a.png");
    copy("lzw.tif", "c.tiff");
    fs::write(folder.path().join("notes.txt"), "not a picture").unwrap();
    let data = Data::open(folder.path()).unwrap();
    assert_eq!(data.labels().columns.as_deref().unwrap(), ["a", "b", "c"]);
    for (value, row) in column().iter().zip(entries(data.matrix())) {
        assert_eq!(row, [*value; 3]);
    }
    copy("deep.png", "d.png");
    let message = refusal(folder.path());
    assert!(
        message.contains("d.png") && message.contains("a different type"),
        "{message}"
    );
    fs::write(folder.path().join("d.png"), "P5 1 1 255\n7").unwrap();
    let message = refusal(folder.path());
    assert!(
        message.contains("1 × 1 pixels, those before it 3 × 4"),
        "{message}"
    );
}

#[test]
fn a_folder_without_data_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let message = refusal(folder.path());
    assert!(
        message.contains("neither matrix.mtx") && message.contains("nor pictures"),
        "{message}"
    );
}

#[test]
fn pictures_cut_off_are_refused_or_whole() {
    for name in FILES {
        let bytes = fs::read(picture(name)).unwrap();
        for length in 0..bytes.len() {
            // What stands behind the pixels may be missing.
            if let Ok(data) = Data::from_bytes(Format::Image, &bytes[..length]) {
                assert_eq!(entries(data.matrix()), sample(), "{name} cut to {length}");
            }
        }
    }
}

/// A PNG whose header claims 2³¹ − 1 pixels in both directions, with a right checksum.
#[test]
fn false_sizes_cost_no_memory() {
    let mut png = fs::read(picture("grey.png")).unwrap();
    png[16..24].copy_from_slice(&[0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]);
    let mut check = flate2::Crc::new();
    check.update(&png[12..29]);
    png[29..33].copy_from_slice(&check.sum().to_be_bytes());
    let message = Data::from_bytes(Format::Image, &png)
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("cannot hold") || message.contains("PNG"),
        "{message}"
    );
    let pgm = b"P5 4000000000 4000000000 255\nabc";
    let message = Data::from_bytes(Format::Image, pgm)
        .unwrap_err()
        .to_string();
    assert!(message.contains("cannot hold"), "{message}");
}

proptest! {
    #[test]
    fn no_change_makes_a_reader_of_pictures_panic(
        which in any::<Index>(),
        changes in prop::collection::vec((any::<Index>(), any::<u8>()), 1..4)
    ) {
        let mut bytes = fs::read(picture(FILES[which.index(FILES.len())])).unwrap();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(data) = Data::from_bytes(Format::Image, &bytes) {
            prop_assert!(entries(data.matrix()).iter().flatten().all(|v| v.is_finite()));
        }
    }
}
