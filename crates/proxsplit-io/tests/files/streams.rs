//! Pipes, names that tell nothing, names that are no text, and formats that are told.

use super::{entries, fixture, refusal, sample};
use proxsplit_io::{Data, Format, Reading};
use std::fs;
use std::path::Path;

fn told(format: Format) -> Reading {
    Reading {
        format: Some(format),
        ..Reading::default()
    }
}

#[test]
fn the_first_bytes_tell_what_the_name_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matrix");
    for name in [
        "c_f8.npy",
        "c_big_u8.npy",
        "one.npz",
        "csr.npz",
        "real.mtx",
        "integer_packed.mtx.gz",
    ] {
        fs::copy(fixture(name), &path).unwrap();
        let data = Data::open(&path).unwrap();
        assert_eq!(entries(data.matrix()), sample(), "{name}");
        assert_eq!(
            data.digest(),
            Data::open(fixture(name)).unwrap().digest(),
            "{name}"
        );
    }
    fs::copy(fixture("plain.csv"), &path).unwrap();
    let message = refusal(&path);
    assert!(
        message.contains("known format") && message.contains("--format"),
        "{message}"
    );
    assert_eq!(
        entries(Data::read(&path, &told(Format::Csv)).unwrap().matrix()),
        sample()
    );
    fs::write(&path, "").unwrap();
    assert!(refusal(&path).contains("it is empty"));
}

#[test]
fn a_format_that_is_told_wins_over_the_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matrix.csv");
    fs::copy(fixture("c_f8.npy"), &path).unwrap();
    let data = Data::read(&path, &told(Format::Npy)).unwrap();
    assert_eq!(entries(data.matrix()), sample());
    assert!(data.describe().ends_with("memory-mapped"));
    let message = Data::read(fixture("plain.csv"), &told(Format::Npy)).unwrap_err();
    assert!(message.to_string().contains("this is not an .npy file"));
    assert_eq!("h5ad".parse(), Ok(Format::Hdf5));
    assert!(
        "xls"
            .parse::<Format>()
            .unwrap_err()
            .contains("use one of npy, npz")
    );
}

#[cfg(unix)]
#[test]
fn pipes_are_read_to_their_end() {
    let folder = tempfile::tempdir().unwrap();
    for (name, extension) in [
        ("c_f8.npy", "npy"),
        ("c_f8.npy", "pipe"),
        ("csr.npz", "npz"),
        ("labels.csv", "csv"),
        ("integer_packed.mtx.gz", "pipe"),
    ] {
        let path = folder.path().join(format!("fifo.{extension}"));
        let _ = fs::remove_file(&path);
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let bytes = fs::read(fixture(name)).unwrap();
        let target = path.clone();
        let writer = std::thread::spawn(move || fs::write(target, bytes));
        let data = Data::open(&path).unwrap();
        writer.join().unwrap().unwrap();
        assert_eq!(entries(data.matrix()), sample(), "{name}");
    }
}

#[test]
fn an_array_in_a_stream_must_end_where_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stream");
    let whole = fs::read(fixture("c_f8.npy")).unwrap();
    for length in 16..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        assert!(refusal(&path).contains("ends too early"), "{length}");
    }
    fs::write(&path, [&whole[..], b"x"].concat()).unwrap();
    assert!(refusal(&path).contains("extra bytes after the end"));
}

#[cfg(target_os = "linux")]
#[test]
fn names_need_not_be_text() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let name = std::ffi::OsStr::from_bytes(b"data-\xff.csv");
    let path = folder.path().join(Path::new(name));
    fs::copy(fixture("plain.csv"), &path).unwrap();
    assert_eq!(entries(Data::open(&path).unwrap().matrix()), sample());
}
