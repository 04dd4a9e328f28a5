//! Data from the standard input, tables with options, and names that are mistaken or no text.

use crate::bench::{Bench, Ran};
use std::process::Stdio;

/// The program with a file as its standard input.
fn piped(bench: &Bench, words: &str, file: &str) -> Ran {
    let input = std::fs::File::open(bench.path(file)).unwrap();
    let mut command = bench.command(words);
    Ran::of(words, &command.stdin(Stdio::from(input)).output().unwrap())
}

#[test]
fn data_comes_from_the_standard_input() {
    let bench = Bench::new();
    bench.matrix("y.npy", 2, &[1.0, 2.0, 3.0, 4.0]);
    bench.write("y.txt", "1;2\n3;4\n");
    let words = "factorize - -k 1 --json --force --out";
    let from_file = bench.run("factorize y.npy -k 1 --json --out file").json();
    let from_pipe = piped(&bench, &format!("{words} pipe"), "y.npy").json();
    assert_eq!(from_pipe["objective"], from_file["objective"]);
    let table = piped(&bench, &format!("{words} table --format csv"), "y.txt").json();
    assert_eq!(table["objective"], from_file["objective"]);
    piped(&bench, &format!("{words} none"), "y.txt").refused(1, &["standard input", "--format"]);
}

#[test]
fn tables_are_read_as_the_options_say() {
    let bench = Bench::new();
    bench.write("years.csv", "gene,2001,2002\nTP53,3,4\nMYC,1,2\n");
    bench
        .run("factorize years.csv -k 1 --out out")
        .refused(1, &["years.csv, line 1", "--header yes or --header no"]);
    let told = bench.run("factorize years.csv -k 1 --out out --header yes");
    told.done();
    assert_eq!(bench.text("out/samples.txt"), "2001\n2002\n");
    let record = bench.json("out/run.json");
    let description = record["data"]["description"].as_str().unwrap();
    assert!(
        description.contains("column names in the first line (2001, 2002)"),
        "{description}"
    );
    bench.write(
        "ratings.csv",
        "user,item,value\nann,m1,4,5\nbob,m1,3\nann,m2,1\n",
    );
    bench
        .run("factorize ratings.csv -k 1 --triples --missing unstored --out ratings -q")
        .done();
    assert_eq!(bench.text("ratings/features.txt"), "ann\nbob\n");
    bench
        .run("factorize years.csv -k 1 --delimiter ;; --out no")
        .refused(2, &["--delimiter", "single character"]);
}

#[test]
fn options_of_other_formats_are_refused() {
    let bench = Bench::new();
    bench.matrix("y.npy", 2, &[1.0, 2.0, 3.0, 4.0]);
    bench.write("y.csv", "1,2\n3,4\n");
    for (words, option) in [
        ("y.npy --triples", "--triples"),
        ("y.npy --header no", "--header"),
        ("y.csv --layer counts", "--layer"),
    ] {
        bench
            .run(&format!("factorize {words} -k 1 --out out"))
            .refused(1, &[option, "does not apply to files of this format"]);
    }
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_build_without_parquet_says_so() {
    let bench = Bench::new();
    bench.write("y.parquet", "PAR1");
    for name in ["y.parquet", "y.parquet --format parquet"] {
        bench
            .run(&format!("factorize {name} -k 1 --out out"))
            .refused(1, &["built without parquet", "--features parquet"]);
    }
}

#[cfg(feature = "parquet")]
#[test]
fn a_parquet_table_is_factorized_with_its_names() {
    let bench = Bench::new();
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../proxsplit-io/tests/data/parquet"
    );
    let run = |name: &str, words: &str| {
        bench.run(&format!(
            "factorize {folder}/{name}.parquet -k 2 --force --out out {words}"
        ))
    };
    run("polars", "-q").done();
    assert_eq!(bench.text("out/features.txt"), "r1\nr2\nr3\n");
    assert_eq!(bench.text("out/samples.txt"), "a\nb\nc\nd\n");
    run("nulls", "").refused(1, &["column 'a': row 2 is missing", "--missing nan"]);
    run("nulls", "-q --missing nan").done();
    assert_eq!(bench.json("out/run.json")["data"]["missing"], 2);
    run("first", "--header yes").refused(1, &["--header does not apply"]);
}

#[test]
fn misspelt_names_are_recognized() {
    let bench = Bench::new();
    bench
        .run("factorize swimer -k 1 --out out")
        .refused(1, &["did you mean swimmer?"]);
    bench
        .run("factorize swimer.npy -k 1 --out out")
        .refused(1, &["cannot read swimer.npy", "check the name"]);
}

#[cfg(target_os = "linux")]
#[test]
fn names_need_not_be_text() {
    use std::os::unix::ffi::OsStrExt;
    let bench = Bench::new();
    bench.matrix("y.npy", 2, &[1.0, 2.0, 3.0, 4.0]);
    let name = std::ffi::OsStr::from_bytes(b"y\xff.npy");
    std::fs::rename(bench.path("y.npy"), bench.path("").join(name)).unwrap();
    let mut command = bench.command("factorize -k 1 --out out -q");
    Ran::of("factorize", &command.arg(name).output().unwrap()).done();
}
