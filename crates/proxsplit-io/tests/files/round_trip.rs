//! What was written is read back, bit by bit.

use super::entries;
use proptest::prelude::*;
use proxsplit::data::{Dense, Element, Matrix, StorageOrder};
use proxsplit_io::{CsvOptions, Data, Format, Reading, write_npy, write_npz_sparse};
use std::fmt::Write;

fn order() -> impl Strategy<Value = StorageOrder> {
    prop_oneof![
        Just(StorageOrder::RowMajor),
        Just(StorageOrder::ColumnMajor)
    ]
}

/// A shape and as many numbers, many of them 0.
fn table() -> impl Strategy<Value = (usize, usize, Vec<f64>)> {
    let number = prop_oneof![
        Just(0.0),
        (-9..9_i32).prop_map(f64::from),
        any::<f64>().prop_filter("finite", |v| v.is_finite()),
    ];
    (1..6_usize, 1..6_usize).prop_flat_map(move |(rows, cols)| {
        let numbers = prop::collection::vec(number.clone(), rows * cols);
        (Just(rows), Just(cols), numbers)
    })
}

fn bits(rows: &[Vec<f64>]) -> Vec<u64> {
    rows.iter().flatten().map(|v| v.to_bits()).collect()
}

fn npy_round_trip<T: Element>(rows: usize, cols: usize, order: StorageOrder, values: &[T]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.npy");
    let matrix = Dense::new(rows, cols, order, T::elements(values)).unwrap();
    write_npy(&path, matrix).unwrap();
    let data = Data::open(&path).unwrap();
    let Matrix::Dense(back) = data.matrix() else {
        panic!("dense")
    };
    assert_eq!(back.order(), order);
    assert_eq!(bits(&entries(back.into())), bits(&entries(matrix.into())));
    let copied = Data::from_bytes(Format::Npy, &std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(copied.digest(), data.digest());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn npy((rows, cols, values) in table(), order in order()) {
        npy_round_trip(rows, cols, order, &values);
        npy_round_trip(rows, cols, order, &values.iter().map(|v| v.clamp(-9e9, 9e9) as f32).collect::<Vec<_>>());
        npy_round_trip(rows, cols, order, &values.iter().map(|&v| v as i32).collect::<Vec<_>>());
        npy_round_trip(rows, cols, order, &values.iter().map(|&v| v as i16).collect::<Vec<_>>());
        npy_round_trip(rows, cols, order, &values.iter().map(|&v| v as u8).collect::<Vec<_>>());
    }

    #[test]
    fn npz_sparse((rows, cols, values) in table(), stored in order(), written in order()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.npz");
        let matrix = Dense::new(rows, cols, stored, f64::elements(&values)).unwrap();
        write_npz_sparse(&path, matrix, written).unwrap();
        let data = Data::open(&path).unwrap();
        prop_assert!(matches!(data.matrix(), Matrix::Sparse(sparse) if sparse.order() == written));
        prop_assert_eq!(data.matrix().stored(), values.iter().filter(|&&v| v != 0.0).count());
        prop_assert_eq!(entries(data.matrix()), entries(matrix.into()));
    }

    #[test]
    fn text((rows, cols, values) in table(), shuffle in any::<u64>()) {
        let matrix = Dense::new(rows, cols, StorageOrder::RowMajor, f64::elements(&values)).unwrap();
        let expected = entries(matrix.into());
        let csv: String = expected.iter().map(|row| {
            let cells: Vec<_> = row.iter().map(|v| format!("{v:e}")).collect();
            cells.join(",") + "\n"
        }).collect();
        // Numbers at random may look like a header that counts.
        let plain = CsvOptions { header: Some(false), ..CsvOptions::default() };
        let reading = Reading { csv: plain, ..Reading::default() };
        let data = Data::parse(Format::Csv, csv.as_bytes(), &reading).unwrap();
        prop_assert_eq!(entries(data.matrix()), expected.clone());
        let mut places: Vec<usize> = (0..rows * cols).filter(|&at| values[at] != 0.0).collect();
        places.sort_by_key(|&at| (at as u64 + 1).wrapping_mul(shuffle | 1));
        let mut mtx = format!("%%MatrixMarket matrix coordinate real general\n{rows} {cols} {}\n", places.len());
        for at in places {
            writeln!(mtx, "{} {} {:e}", at / cols + 1, at % cols + 1, values[at]).unwrap();
        }
        let data = Data::from_bytes(Format::Mtx, mtx.as_bytes()).unwrap();
        prop_assert_eq!(entries(data.matrix()), expected);
    }
}

#[test]
fn numbers_that_are_not_aligned_in_the_file_are_copied() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd.npy");
    let dict = b"{'descr': '<f8', 'fortran_order': True, 'shape': (2, 1), } \n";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((dict.len() as u16).to_le_bytes());
    bytes.extend(dict);
    assert_ne!(bytes.len() % 8, 0);
    bytes.extend([1.5_f64, -2.0].map(f64::to_le_bytes).concat());
    std::fs::write(&path, bytes).unwrap();
    let data = Data::open(&path).unwrap();
    assert_eq!(entries(data.matrix()), [[1.5], [-2.0]]);
    assert!(!data.describe().contains("mapped"));
}
