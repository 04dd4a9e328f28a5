//! Wrong content is refused with the place and the cause.

use super::entries;
use proxsplit_io::{Data, Format};

fn refused(format: Format, text: impl AsRef<[u8]>, expected: &str) {
    let text = text.as_ref();
    let message = match Data::from_bytes(format, text) {
        Ok(data) => panic!("read as {}: {}", data.describe(), text.escape_ascii()),
        Err(error) => error.to_string(),
    };
    assert!(message.contains(expected), "'{message}' lacks '{expected}'");
}

fn read(format: Format, text: &str) -> Vec<Vec<f64>> {
    entries(Data::from_bytes(format, text.as_bytes()).unwrap().matrix())
}

#[test]
fn matrix_market() {
    let general = |body: &str| format!("%%MatrixMarket matrix coordinate real general\n{body}");
    let cases = [
        ("", "ends before the line of sizes"),
        ("2 2\n", "line 2: this line must have 3 numbers"),
        ("2 -2 1\n1 1 1\n", "line 2: this line must have 3 numbers"),
        ("2 2 1\n", "ends after 0 of 1 entries"),
        (
            "2 2 1\n1 1 1\n1 2 1\n",
            "line 4: there are more entries than the 1 promised",
        ),
        (
            "2 2 1\n3 1 1\n",
            "line 3: row '3' must be a whole number from 1 to 2",
        ),
        ("2 2 1\n1 0 1\n", "line 3: column '0' must be"),
        ("2 2 1\n-1 1 1\n", "line 3: row '-1' must be"),
        ("2 2 1\n1 1\n", "line 3: the value is missing"),
        (
            "2 2 1\n\n%x\n1 1 nan\n",
            "line 5: the value 'nan' is not finite",
        ),
        (
            "2 2 1\n1 1 1e999\n",
            "line 3: the value '1e999' is not finite",
        ),
        ("2 2 1\n1 1 1 0\n", "line 3: '0' is one item too many"),
        ("2 2 1\n1 1 x\n", "line 3: the value 'x' is not a number"),
        ("0 2 0\n", "the matrix is empty (0 × 2)"),
        ("9999999999 1 0\n", "line 2: at most 2147483647 rows"),
        ("2000000000 1 1\n1 1 1\n", "is not supported: at most"),
        (
            "2 2 999999999999999999\n1 1 1\n",
            "ends after 1 of 999999999999999999 entries",
        ),
    ];
    for (body, expected) in cases {
        refused(Format::Mtx, general(body), expected);
        refused(Format::Mtx, general(body).replace('\n', "\r\n"), expected);
    }
    refused(Format::Mtx, "", "the file is empty");
    refused(
        Format::Mtx,
        "1 2 3",
        "line 1: this is not a Matrix Market file",
    );
    let banner = |rest: &str, expected| {
        refused(
            Format::Mtx,
            format!("%%MatrixMarket matrix {rest}\n2 2 1\n1 1 1"),
            expected,
        );
    };
    banner("coordinate complex general", "values of type 'complex'");
    banner("coordinate real hermitian", "symmetry 'hermitian'");
    banner("array pattern general", "an array cannot be a pattern");
    banner("table real general", "layout 'table'");
    banner(
        "coordinate real skew-symmetric",
        "line 3: a skew-symmetric matrix has no",
    );
    let array = |rest: &str, expected| {
        refused(
            Format::Mtx,
            format!("%%MatrixMarket matrix array real {rest}"),
            expected,
        );
    };
    array("general\n2 2\n1 2 3\n", "ends after 3 of 4 values");
    array(
        "general\n2 2\n1 2\n3 4 5\n",
        "line 4: there are more values than the 4",
    );
    array(
        "symmetric\n2 3\n1\n",
        "line 2: a symmetric matrix cannot be 2 × 3",
    );
    array("general\n9999999999 9999999999\n1\n", "too large");
    array("general\n99999999 9999999\n1\n", "ends after 1 of");
}

#[test]
fn matrix_market_variants() {
    let symmetric = "%%MatrixMarket  MATRIX coordinate pattern symmetric\r\n% c\r\n\r\n2 2 2\r\n1 1\r\n 2\t1 \r\n";
    assert_eq!(read(Format::Mtx, symmetric), [[1.0, 1.0], [1.0, 0.0]]);
    let skew = "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3";
    assert_eq!(
        read(Format::Mtx, skew),
        [[0.0, -1.0, -2.0], [1.0, 0.0, -3.0], [2.0, 3.0, 0.0]]
    );
    let lower = "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3.5";
    assert_eq!(read(Format::Mtx, lower), [[1.0, 2.0], [2.0, 3.5]]);
    let twice = "%%MatrixMarket matrix coordinate real general\n1 2 3\n1 2 0.5\n1 1 1\n1 2 0.25";
    assert_eq!(read(Format::Mtx, twice), [[1.0, 0.75]]);
}

#[test]
fn tables() {
    refused(Format::Csv, "", "the file is empty");
    refused(Format::Csv, "\n \r\n", "the file is empty");
    refused(Format::Csv, "a,b\n", "no data");
    refused(
        Format::Csv,
        "1,2\n3\n",
        "line 2: this line has 1 numbers but the ones before have 2",
    );
    refused(
        Format::Csv,
        "1,2\n\n3,4,5\n",
        "line 3: this line has 3 numbers",
    );
    refused(
        Format::Csv,
        "id,a,b\nx,1,2\ny,3,NaN\n",
        "line 3: row 2 ('y'), column 2 ('b') is missing",
    );
    refused(
        Format::Csv,
        "a,b\nx,1,2\ny,3,\n",
        "line 3: row 2 ('y'), column 2 ('b') is missing",
    );
    refused(Format::Csv, "1,,2\n", "line 1: row 1, column 2 is missing");
    refused(
        Format::Csv,
        "1,2\n3,inf\n",
        "line 2: row 2, column 2: 'inf' is not a finite number",
    );
    refused(
        Format::Csv,
        "1,2\n3,four\n",
        "'four' is not a finite number",
    );
    refused(
        Format::Csv,
        "a,b,c\n1,2\n",
        "line 1: there are 3 column names for 2 columns",
    );
    refused(
        Format::Csv,
        "1,2\n3,\"4\n5,6\n",
        "line 2: a quoted cell that begins here is never closed",
    );
    refused(
        Format::Csv,
        "1,\"2\"3\n",
        "line 1: '3' follows a closing quote",
    );
    refused(
        Format::Csv,
        "1 2\n3 4\n",
        "line 2: row 1, column 1 ('1 2'): '3 4' is not a finite number; use --delimiter ' '",
    );
    refused(Format::Csv, b"\x80\xff\x00,\xfe\n1,x", "line 2");
    assert_eq!(
        read(Format::Csv, "\u{feff}1;2\r\n3;\" 4 \"\r\n"),
        [[1.0, 2.0], [3.0, 4.0]]
    );
    assert_eq!(read(Format::Tsv, "\ta\tb\n0\t1\t-2e-1\n"), [[1.0, -0.2]]);
}

#[test]
fn numpy() {
    let array = |dict: &str, data: &[u8]| {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((dict.len() as u16).to_le_bytes());
        bytes.extend(dict.as_bytes());
        bytes.extend(data);
        bytes
    };
    let dict = |descr: &str, shape: &str| {
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}")
    };
    let cases = [
        (dict("<f8", "(1, 1)"), vec![0; 7], "cut off"),
        (dict("<f8", "(1, 1)"), vec![0; 9], "something was added"),
        (
            dict("<f8", "(4294967296, 4294967296)"),
            vec![],
            "is too large",
        ),
        (
            dict("<f8", "(18446744073709551616, 1)"),
            vec![],
            "not a list of sizes",
        ),
        (dict("<f8", "(1000000000000, 1)"), vec![0; 8], "cut off"),
        (dict("<f8", "(-1, 1)"), vec![], "not a list of sizes"),
        (dict("<f8", "(0, 3)"), vec![], "the matrix is empty (0 × 3)"),
        (dict("<f8", "()"), vec![0; 8], "0 axes"),
        (dict("<f8", "3"), vec![0; 24], "not a tuple"),
        (dict("|O", "(1, 1)"), vec![0; 8], "'|O' are not supported"),
        (dict("<U1", "(1, 1)"), vec![0; 4], "holds text"),
        (
            dict("<f16", "(1, 1)"),
            vec![0; 16],
            "'<f16' are not supported",
        ),
        (
            dict("<f8", "(1, 2)"),
            [1.0_f64, f64::NAN].map(f64::to_le_bytes).concat(),
            "row 0, column 1 (counting from 0) is NaN",
        ),
        (
            dict(">f4", "(2, 1)"),
            [1.0_f32, f32::INFINITY].map(f32::to_be_bytes).concat(),
            "row 1, column 0 (counting from 0) is inf",
        ),
        (
            dict("<i8", "(1, 1)"),
            i64::MIN.to_le_bytes().to_vec(),
            "entry 0 is an integer beyond",
        ),
        (
            dict("<u8", "(1, 1)"),
            u64::MAX.to_le_bytes().to_vec(),
            "entry 0 is an integer beyond",
        ),
        ("{}".to_owned(), vec![], "'descr' is missing"),
    ];
    for (dict, data, expected) in cases {
        refused(Format::Npy, array(&dict, &data), expected);
    }
    refused(Format::Npy, b"", "ends too early");
    refused(
        Format::Npy,
        b"PK\x03\x04 not an array",
        "byte 0: this is not an .npy file",
    );
    refused(
        Format::Npy,
        b"\x93NUMPY\x09\x00\x10\x00",
        "unknown .npy version 9",
    );
    refused(
        Format::Npy,
        b"\x93NUMPY\x02\x00\xff\xff\xff\xff",
        "not plausible",
    );
    refused(Format::Npz, b"", "not a zip archive");
    refused(
        Format::Npz,
        b"PK\x03\x04 not an archive",
        "not a zip archive",
    );
}
