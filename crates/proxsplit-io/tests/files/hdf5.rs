//! Files as anndata and h5py write them (`tests/data/make.py`), and damaged ones.

use super::{entries, fixture, refusal, sample};
use proptest::prelude::*;
use proptest::sample::Index;
use proxsplit_io::{Data, Format, Reading};

const FILES: [&str; 7] = [
    "dense.h5ad",
    "csr.h5ad",
    "csc.h5ad",
    "lzf.h5ad",
    "latest.h5ad",
    "tenx.h5",
    "tenx_two.h5",
];

fn layer(name: &str) -> Reading {
    Reading {
        layer: Some(name.to_owned()),
        ..Reading::default()
    }
}

#[test]
fn matrices_and_names_of_anndata_and_10x() {
    let rows = ["r1", "r2", "r3"];
    let columns = ["a", "b", "c", "d"];
    for name in FILES {
        let data = Data::open(fixture(name)).unwrap();
        assert_eq!(entries(data.matrix()), sample(), "{name}");
        assert_eq!(data.labels().rows.as_deref().unwrap(), rows, "{name}");
        assert_eq!(data.labels().columns.as_deref().unwrap(), columns, "{name}");
        let bytes = std::fs::read(fixture(name)).unwrap();
        let copied = Data::from_bytes(Format::Hdf5, &bytes).unwrap();
        assert_eq!(copied.digest(), data.digest(), "{name}");
    }
    let sparse = Data::open(fixture("csr.h5ad")).unwrap();
    assert_eq!(
        sparse.describe(),
        "3 × 4 float32, sparse, 6 entries (50.000%); X of an .h5ad file: rows are obs, columns are var"
    );
    let tenx = Data::open(fixture("tenx.h5")).unwrap();
    assert!(
        tenx.describe()
            .ends_with("matrix of a 10x file: rows are features, columns are barcodes")
    );
}

#[test]
fn layers_are_chosen_by_name() {
    let path = fixture("layers.h5ad");
    let counts = Data::read(&path, &layer("counts")).unwrap();
    assert_eq!(entries(counts.matrix()), sample());
    assert!(counts.describe().contains("layers/counts of an .h5ad file"));
    let thirds = Data::read(&path, &layer("thirds")).unwrap();
    assert_eq!(entries(thirds.matrix())[2][0], 4.0 / 3.0);
    let message = Data::read(&path, &layer("none")).unwrap_err().to_string();
    assert!(
        message.ends_with("there is no layer 'none'; the file has: counts, thirds"),
        "{message}"
    );
    let message = Data::read(fixture("tenx.h5"), &layer("counts"))
        .unwrap_err()
        .to_string();
    assert!(message.contains("there are no layers"), "{message}");
}

#[test]
fn what_is_no_matrix_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.h5ad");
    for bytes in [&b""[..], b"not HDF5", b"\x89HDF\r\n\x1a\n"] {
        std::fs::write(&path, bytes).unwrap();
        let message = refusal(&path);
        assert!(
            message.contains("not an HDF5 file, or it was cut off"),
            "{message}"
        );
    }
}

#[test]
fn files_cut_off_are_refused_or_whole() {
    for name in FILES {
        let bytes = std::fs::read(fixture(name)).unwrap();
        for length in (0..bytes.len()).step_by(97) {
            // A file may end in space that nothing uses.
            if let Ok(data) = Data::from_bytes(Format::Hdf5, &bytes[..length]) {
                assert_eq!(entries(data.matrix()), sample(), "{name} cut to {length}");
            }
        }
    }
}

proptest! {
    #[test]
    fn no_change_makes_the_reader_panic(
        which in any::<Index>(),
        changes in prop::collection::vec((any::<Index>(), any::<u8>()), 1..4)
    ) {
        let mut bytes = std::fs::read(fixture(FILES[which.index(FILES.len())])).unwrap();
        // Most of a file is empty space: what is not zero is what matters.
        let spots: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at] != 0).collect();
        for (at, value) in changes {
            bytes[spots[at.index(spots.len())]] = value;
        }
        if let Ok(data) = Data::from_bytes(Format::Hdf5, &bytes)
            && data.matrix().rows() * data.matrix().cols() < 1 << 20
        {
            prop_assert!(entries(data.matrix()).iter().flatten().all(|v| v.is_finite()));
        }
    }
}
