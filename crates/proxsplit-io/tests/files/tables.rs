//! Tables: doubt is refused with the option that decides, and what was taken for what is told.

use super::entries;
use proxsplit_io::{CsvOptions, Data, Format, Nan, Reading};

fn read_as(text: &str, format: Format, csv: CsvOptions) -> Result<Data, String> {
    let reading = Reading {
        csv,
        ..Reading::default()
    };
    Data::parse(format, text.as_bytes(), &reading).map_err(|error| error.to_string())
}

fn refused(text: &str, option: &str) {
    let message = match read_as(text, Format::Csv, CsvOptions::default()) {
        Ok(data) => panic!("read as {}", data.describe()),
        Err(message) => message,
    };
    assert!(message.contains("line 1: "), "{message}");
    assert!(message.contains(option), "{message}");
}

fn names(names: Option<&Vec<String>>) -> Vec<&str> {
    names.into_iter().flatten().map(String::as_str).collect()
}

#[test]
fn what_used_to_be_guessed_is_refused() {
    refused(
        "gene,2001,2002\nTP53,3,4\nMYC,1,2\n",
        "--header yes or --header no",
    );
    refused("1,2,x3\n4,5,6\n", "--header yes or --header no");
    refused("a;b\n1,5;2,5\n", "--decimal ,");
    refused("1,5;2,5\n", "--delimiter");
    refused("0,1,2\n0.5,0.25,0.1\n", "--header yes or --header no");
    let mixed = "x,1,1\ny,2,2\n3,4,5\n";
    let message = read_as(mixed, Format::Csv, CsvOptions::default()).unwrap_err();
    assert!(
        message.contains("line 3") && message.contains("--labels yes"),
        "{message}"
    );
    let late = "1,2\n3,4\nx,5\n";
    let message = read_as(late, Format::Csv, CsvOptions::default()).unwrap_err();
    assert!(
        message.contains("line 3") && message.contains("--labels yes"),
        "{message}"
    );
}

#[test]
fn options_decide() {
    let years = "gene,2001,2002\nTP53,3,4\nMYC,1,2\n";
    let header = |header| CsvOptions {
        header: Some(header),
        ..CsvOptions::default()
    };
    let data = read_as(years, Format::Csv, header(true)).unwrap();
    assert_eq!(entries(data.matrix()), [[3.0, 4.0], [1.0, 2.0]]);
    assert_eq!(names(data.labels().columns.as_ref()), ["2001", "2002"]);
    assert_eq!(
        data.describe(),
        "2 × 2 uint8, dense, row-major; cells between commas, column names in the first line (2001, 2002), \
         row names in the first column (TP53, MYC)"
    );
    let data = read_as(years, Format::Csv, header(false)).unwrap();
    assert_eq!(names(data.labels().rows.as_ref()), ["gene", "TP53", "MYC"]);
    assert!(data.describe().contains("no column names"));
    let labels = CsvOptions {
        header: Some(true),
        labels: Some(true),
        ..CsvOptions::default()
    };
    let data = read_as("id,a\n7,1\n8,2\n", Format::Csv, labels).unwrap();
    assert_eq!(names(data.labels().rows.as_ref()), ["7", "8"]);
    let comma = CsvOptions {
        decimal: Some(b','),
        ..CsvOptions::default()
    };
    let data = read_as("1,5;-2,25e1\n0;1\n", Format::Csv, comma).unwrap();
    assert_eq!(entries(data.matrix()), [[1.5, -22.5], [0.0, 1.0]]);
    let message = read_as("1,5;2\n1.5;2\n", Format::Csv, comma).unwrap_err();
    assert!(message.contains("--decimal ."), "{message}");
    let pipe = CsvOptions {
        delimiter: Some(b'|'),
        ..CsvOptions::default()
    };
    let data = read_as("a|b\n1|2\n", Format::Tsv, pipe).unwrap();
    assert_eq!(entries(data.matrix()), [[1.0, 2.0]]);
    assert!(data.describe().contains("cells between '|'"));
}

#[test]
fn options_that_cannot_be_meant_are_refused() {
    let with = |delimiter, decimal| CsvOptions {
        delimiter,
        decimal,
        ..CsvOptions::default()
    };
    for options in [
        with(Some(b'"'), None),
        with(Some(b'\n'), None),
        with(Some(b'5'), None),
        with(Some(b','), Some(b',')),
        with(None, Some(b';')),
    ] {
        assert!(
            read_as("1,2\n", Format::Csv, options).is_err(),
            "{options:?}"
        );
    }
}

#[test]
fn names_may_have_line_breaks() {
    let text = "key,\"two\nlines\",b\n\"r\r\n\r\n1\",1,2\nr2,3,4\n";
    let data = read_as(text, Format::Csv, CsvOptions::default()).unwrap();
    assert_eq!(names(data.labels().columns.as_ref()), ["two\nlines", "b"]);
    assert_eq!(names(data.labels().rows.as_ref()), ["r\n\n1", "r2"]);
    assert_eq!(entries(data.matrix()), [[1.0, 2.0], [3.0, 4.0]]);
    assert!(!data.describe().contains('\n'));
}

const TRIPLES: CsvOptions = CsvOptions {
    header: None,
    labels: None,
    delimiter: None,
    decimal: None,
    triples: true,
};

#[test]
fn ratings_become_a_sparse_matrix() {
    let text = "user,item,rating,time\nann,m2,4.5,99\nbob,m1,3,98\nann,m1,0,97\n";
    let data = read_as(text, Format::Csv, TRIPLES).unwrap();
    assert_eq!(names(data.labels().rows.as_ref()), ["ann", "bob"]);
    assert_eq!(names(data.labels().columns.as_ref()), ["m2", "m1"]);
    assert_eq!(entries(data.matrix()), [[4.5, 0.0], [0.0, 3.0]]);
    // A rating of 0 is one, and not a missing rating.
    assert_eq!(data.matrix().stored(), 3);
    assert!(
        data.describe().ends_with(
            "rows from 'user', columns from 'item', values from 'rating', not used: time"
        ),
        "{}",
        data.describe()
    );
    let plain = read_as("7\t1\t5\n8\t1\t2\n", Format::Tsv, TRIPLES).unwrap();
    assert_eq!(entries(plain.matrix()), [[5.0], [2.0]]);
    assert_eq!(names(plain.labels().rows.as_ref()), ["7", "8"]);
}

#[test]
fn ratings_that_cannot_be_read_are_refused() {
    for (text, expected) in [
        (
            "a,b,1\na,b,2\n",
            "row 'a', column 'b' has more than one value",
        ),
        (
            "a,b,1\na,c\n",
            "line 2: a line must have three cells: a row, a column and a value",
        ),
        (
            "a,b,1\na,,2\n",
            "line 2: the name of the row or of the column is empty; fill it in or leave out the line",
        ),
        (
            "a,b,1\na,c,x\n",
            "line 2: the value 'x' is not a finite number",
        ),
        ("a,b,1\na,c,inf\n", "line 2: the value 'inf' is not"),
        ("a,b,1\na,c,\n", "line 2: the value '' is not"),
        ("a;b;1,5\n", "--delimiter"),
        ("user,item,value\n", "empty (0 × 0)"),
        (
            "user,item\n1,2\n",
            "must have three cells: a row, a column and a value",
        ),
    ] {
        let message = read_as(text, Format::Csv, TRIPLES).unwrap_err();
        assert!(message.contains(expected), "'{message}' lacks '{expected}'");
    }
    let message = read_as("a\tb\t1,5\n", Format::Tsv, TRIPLES).unwrap_err();
    assert!(message.contains("--decimal ,"), "{message}");
    let reading = Reading {
        csv: TRIPLES,
        nan: Nan::Missing,
        ..Reading::default()
    };
    let data = Data::parse(Format::Csv, b"a,b,1\na,c,\n", &reading).unwrap();
    assert!(entries(data.matrix())[0][1].is_nan());
}
