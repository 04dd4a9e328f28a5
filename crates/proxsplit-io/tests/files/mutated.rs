//! Valid files with bytes changed, added and removed: an error or a consistent matrix, never a panic.

use super::{entries, fixture};
use proptest::prelude::*;
use proptest::sample::Index;
use proxsplit_io::{CsvOptions, Data, Format, Reading};
use std::fs;

/// Files to start from, by format.
const SEEDS: [(Format, &[&str]); 5] = [
    (
        Format::Npy,
        &["c_f8.npy", "f_u1.npy", "c_big_u8.npy", "c_f2.npy"],
    ),
    (
        Format::Npz,
        &["one.npz", "csr.npz", "duplicates.npz", "unsorted.npz"],
    ),
    (Format::Mtx, &["real.mtx", "array.mtx"]),
    (Format::Csv, &["labels.csv", "thirds.csv", "rows.csv"]),
    (Format::Tsv, &["labels.csv"]),
];

#[derive(Debug, Clone)]
enum Change {
    Set(Index, u8),
    Flip(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    Cut(Index),
}

fn change() -> impl Strategy<Value = Change> {
    let telling = prop::sample::select(&b"0123456789-+.eE,;\t\" \r\n%()'\x00\x7f\x80\xff"[..]);
    prop_oneof![
        4 => (any::<Index>(), telling).prop_map(|(at, byte)| Change::Set(at, byte)),
        4 => (any::<Index>(), 0..8_u8).prop_map(|(at, bit)| Change::Flip(at, bit)),
        2 => (any::<Index>(), any::<Vec<u8>>()).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        2 => (any::<Index>(), 1..9_usize).prop_map(|(at, count)| Change::Remove(at, count)),
        1 => any::<Index>().prop_map(Change::Cut),
    ]
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    if bytes.is_empty() {
        return;
    }
    let length = bytes.len();
    match change {
        Change::Set(at, byte) => bytes[at.index(length)] = *byte,
        Change::Flip(at, bit) => bytes[at.index(length)] ^= 1 << bit,
        Change::Insert(at, new) => {
            let at = at.index(length);
            bytes.splice(at..at, new.iter().copied());
        }
        Change::Remove(at, count) => {
            let at = at.index(length);
            bytes.drain(at..length.min(at + count));
        }
        Change::Cut(at) => bytes.truncate(at.index(length)),
    }
}

/// Whatever can be read is a matrix that can be used.
fn use_it(format: Format, bytes: &[u8]) {
    use_as(format, bytes, &Reading::default());
    if matches!(format, Format::Csv | Format::Tsv) {
        for (header, triples) in [(true, false), (false, true)] {
            let csv = CsvOptions {
                header: Some(header),
                labels: Some(triples),
                decimal: Some(b','),
                delimiter: Some(b';'),
                triples,
            };
            let reading = Reading {
                csv,
                ..Reading::default()
            };
            use_as(format, bytes, &reading);
        }
    }
}

fn use_as(format: Format, bytes: &[u8], reading: &Reading) {
    if let Ok(data) = Data::parse(format, bytes, reading) {
        assert_ne!(data.describe(), "");
        if data.matrix().rows() * data.matrix().cols() < 1 << 20 {
            assert!(
                entries(data.matrix())
                    .iter()
                    .flatten()
                    .all(|v| v.is_finite())
            );
        }
    }
}

proptest! {
    #[test]
    fn no_change_makes_a_reader_panic(
        which in any::<Index>(), changes in prop::collection::vec(change(), 1..5)
    ) {
        for (format, names) in SEEDS {
            let mut bytes = fs::read(fixture(names[which.index(names.len())])).unwrap();
            for change in &changes {
                apply(&mut bytes, change);
            }
            use_it(format, &bytes);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in any::<Vec<u8>>(), text in "[-0-9.,%\r\n a]{0,60}") {
        for (format, _) in SEEDS {
            use_it(format, &bytes);
            use_it(format, text.as_bytes());
        }
    }
}

#[test]
fn files_cut_off_anywhere_are_refused() {
    for (format, names) in &SEEDS[..2] {
        for name in *names {
            let bytes = fs::read(fixture(name)).unwrap();
            for length in 0..bytes.len() {
                let cut = Data::from_bytes(*format, &bytes[..length]);
                assert!(cut.is_err(), "{name} cut to {length} bytes");
            }
        }
    }
    for (format, names) in &SEEDS[2..] {
        for name in *names {
            let bytes = fs::read(fixture(name)).unwrap();
            for length in 0..bytes.len() {
                use_it(*format, &bytes[..length]);
            }
        }
    }
}

#[test]
fn mapped_files_cut_off_anywhere_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.npy");
    let bytes = fs::read(fixture("c_f8.npy")).unwrap();
    for length in 0..bytes.len() {
        fs::write(&path, &bytes[..length]).unwrap();
        let message = Data::open(&path).unwrap_err().to_string();
        assert!(message.contains("cut.npy"), "{message}");
    }
}
