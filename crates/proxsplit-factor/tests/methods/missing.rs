//! Missing entries: the misfit is a sum over the observed ones, in every method and storage.

mod against_plain;
mod planted;
mod storage;

use proxsplit::Mat;
use proxsplit::data::{Dense, Elements, StorageOrder};
use proxsplit_factor::{Data, Generated, Missing};

/// Whether (i, t) is missing: three of ten, column 2 as a whole, row 4 as a whole, and column 5 but for one entry.
fn is_missing(i: usize, t: usize) -> bool {
    match (i, t) {
        (_, 2) | (4, _) => true,
        (_, 5) => i != 1,
        _ => (i * 7 + t * 13 + i * t / 3) % 10 < 3,
    }
}

/// The planted matrix with gaps, and without.
fn gappy(noise: f64) -> (Mat<f64>, Mat<f64>) {
    let generated = super::planted(noise);
    let proxsplit::Matrix::Dense(dense) = generated.matrix().unwrap() else {
        panic!("planted data are dense")
    };
    let full = Mat::from_fn(dense.rows(), dense.cols(), |i, t| dense.get(i, t));
    (with_gaps(&full), full)
}

fn with_gaps(full: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(full.rows(), full.cols(), |i, t| {
        if is_missing(i, t) {
            f64::NAN
        } else {
            full.col(t)[i]
        }
    })
}

fn data(y: &Mat<f64>) -> Data<'_, f64> {
    let elements = Elements::F64(y.data());
    let dense = Dense::new(y.rows(), y.cols(), StorageOrder::ColumnMajor, elements).unwrap();
    Data::with_missing(dense.into(), 1.0, Missing::Nan).unwrap()
}

#[test]
fn bad_patterns_are_refused() {
    let open = |values: &[f64], missing| {
        let dense = Dense::new(2, 2, StorageOrder::RowMajor, Elements::F64(values)).unwrap();
        Data::<f64>::with_missing(dense.into(), 1.0, missing)
            .map(|data| data.missing())
            .map_err(|error| error.to_string())
    };
    let nan = f64::NAN;
    assert_eq!(open(&[1.0, nan, 2.0, 3.0], Missing::Nan), Ok(1));
    assert_eq!(open(&[1.0, 4.0, 2.0, 3.0], Missing::Nan), Ok(0));
    let refused = |values: &[f64], missing, words: &str| {
        let message = open(values, missing).unwrap_err();
        assert!(message.contains(words), "{message}");
    };
    refused(&[nan; 4], Missing::Nan, "all entries");
    refused(
        &[1.0, nan, 2.0, 3.0],
        Missing::None,
        "non-finite entry at 1",
    );
    refused(
        &[nan, f64::INFINITY, 2.0, 3.0],
        Missing::Nan,
        "non-finite entry at 1",
    );
    refused(
        &[1.0, 4.0, 2.0, 3.0],
        Missing::Unstored,
        "mark the missing ones with NaN",
    );
    let graph = Generated::parse("webgraph:30x40,200", 1).unwrap().unwrap();
    let data = Data::<f64>::with_missing(graph.matrix().unwrap(), 1.0, Missing::Unstored);
    assert_eq!(
        data.unwrap().missing(),
        30 * 40 - graph.matrix().unwrap().stored()
    );
}
