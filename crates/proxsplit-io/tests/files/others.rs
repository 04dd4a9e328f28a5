//! Files as NumPy, SciPy and pandas write them (`tests/data/make.py`).

use super::{entries, fixture, refusal, sample};
use proxsplit::data::{Elements, Matrix};
use proxsplit_io::Data;

#[test]
fn every_number_type_of_numpy() {
    for name in [
        "c_u1", "c_i1", "c_i2", "c_i4", "c_i8", "c_u2", "c_u4", "c_u8", "c_f2", "c_f4", "c_f8",
        "c_big_f4", "c_big_f8", "c_big_i2", "c_big_u8", "f_f8", "f_u1",
    ] {
        let data = Data::open(fixture(&format!("{name}.npy"))).unwrap();
        assert_eq!(entries(data.matrix()), sample(), "{name}");
        let mapped = ["c_u1", "c_i2", "c_i4", "c_f4", "c_f8", "f_f8", "f_u1"].contains(&name);
        assert_eq!(data.describe().ends_with("memory-mapped"), mapped, "{name}");
    }
    let data = Data::open(fixture("c_bool.npy")).unwrap();
    let ones = sample()
        .into_iter()
        .map(|row| row.into_iter().map(|v| v.min(1.0)).collect());
    assert_eq!(entries(data.matrix()), ones.collect::<Vec<Vec<_>>>());
}

#[test]
fn halves_become_single_precision() {
    let data = Data::open(fixture("c_f2.npy")).unwrap();
    let Matrix::Dense(dense) = data.matrix() else {
        panic!("dense")
    };
    assert!(matches!(dense.elements(), Elements::F32(_)));
}

#[test]
fn a_vector_is_one_column() {
    let data = Data::open(fixture("vector.npy")).unwrap();
    assert_eq!(entries(data.matrix()), [[2.0], [3.0], [0.0]]);
}

#[test]
fn dense_archives() {
    let one = Data::open(fixture("one.npz")).unwrap();
    assert_eq!(entries(one.matrix()), sample());
    let chosen = Data::open(fixture("two.npz:b")).unwrap();
    assert_eq!(entries(chosen.matrix().t()), sample());
    assert!(refusal(fixture("two.npz")).contains("the file has: a, b"));
    assert!(refusal(fixture("two.npz:c")).contains("there is no array 'c'"));
}

#[test]
fn sparse_archives() {
    for name in [
        "csr",
        "csr_array",
        "csc",
        "coo",
        "coo_array",
        "duplicates",
        "unsorted",
    ] {
        let data = Data::open(fixture(&format!("{name}.npz"))).unwrap();
        assert_eq!(entries(data.matrix()), sample(), "{name}");
        assert_eq!(data.matrix().stored(), 6, "{name}");
    }
    let pattern = Data::open(fixture("bool.npz")).unwrap();
    assert_eq!(entries(pattern.matrix())[2], [1.0, 1.0, 0.0, 1.0]);
    assert!(refusal(fixture("dia.npz")).contains("save it as csr, csc or coo"));
}

#[test]
fn matrix_market() {
    for name in [
        "real.mtx",
        "integer.mtx",
        "array.mtx",
        "integer_packed.mtx.gz",
    ] {
        let data = Data::open(fixture(name)).unwrap();
        assert_eq!(entries(data.matrix()), sample(), "{name}");
    }
}

#[test]
fn tables_with_and_without_names() {
    let rows = Some(["r1", "r2", "r3"].map(str::to_owned).to_vec());
    let columns = Some(["a", "b", "c", "d"].map(str::to_owned).to_vec());
    for (name, has_rows, has_columns) in [
        ("labels.csv", true, true),
        ("labels.tsv.gz", true, true),
        ("header.csv", false, true),
        ("rows.csv", true, false),
        ("plain.csv", false, false),
    ] {
        let data = Data::open(fixture(name)).unwrap();
        assert_eq!(entries(data.matrix()), sample(), "{name}");
        assert_eq!(
            data.labels().rows,
            rows.clone().filter(|_| has_rows),
            "{name}"
        );
        assert_eq!(
            data.labels().columns,
            columns.clone().filter(|_| has_columns),
            "{name}"
        );
    }
    let thirds = Data::open(fixture("thirds.csv")).unwrap();
    assert_eq!(
        entries(thirds.matrix())[2],
        [4.0 / 3.0, 5.0 / 3.0, 0.0, 2.0]
    );
    assert_eq!(thirds.labels().rows.as_deref().unwrap(), ["0", "1", "2"]);
}

#[test]
fn the_digest_depends_on_content_and_type_but_not_on_the_file() {
    let digest = |name: &str| Data::open(fixture(name)).unwrap().digest().to_owned();
    assert_eq!(digest("real.mtx"), digest("integer_packed.mtx.gz"));
    assert_eq!(digest("c_u1.npy"), digest("plain.csv"));
    assert_ne!(digest("c_u1.npy"), digest("f_u1.npy"));
    assert_ne!(digest("c_f4.npy"), digest("c_f8.npy"));
    // Stable for ever: checkpoints of older versions must still match their data.
    assert_eq!(digest("c_f8.npy"), "5200cd4b9c19a836325d87b9df15f020");
}

#[test]
fn what_is_not_a_real_matrix_is_refused() {
    assert!(refusal(fixture("complex.npy")).contains("type '<c16' are not supported"));
    assert!(refusal(fixture("complex.mtx")).contains("line 1: values of type 'complex'"));
    assert!(refusal(fixture("cube.npy")).contains("3 axes"));
    assert!(refusal(fixture("large_integer.npy")).contains("entry 1 is an integer beyond"));
    assert!(refusal(fixture("make.py")).contains("known format"));
    assert!(refusal(fixture("nothing.npy")).contains("check the name"));
    assert!(refusal(fixture(".")).contains("neither matrix.mtx"));
}
