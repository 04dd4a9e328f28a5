//! Packed files, folders and names.

use super::{entries, refusal};
use flate2::{Compression, write::GzEncoder};
use proxsplit_io::Data;
use std::fs;
use std::io::Write;
use std::path::Path;

const SMALL: &[u8] = b"%%MatrixMarket matrix coordinate integer general\n2 3 2\n1 1 7\n2 3 9\n";

fn gzip(path: &Path, parts: &[&[u8]]) {
    let mut out = fs::File::create(path).unwrap();
    for part in parts {
        let mut member = GzEncoder::new(&mut out, Compression::best());
        member.write_all(part).unwrap();
        member.finish().unwrap();
    }
}

#[test]
fn a_gzip_bomb_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bomb.mtx.gz");
    let head = "%%MatrixMarket matrix coordinate pattern general\n9 9 999999999\n";
    let body = "1 1\n".repeat(8 << 20);
    gzip(&path, &[head.as_bytes(), body.as_bytes()]);
    assert!(fs::metadata(&path).unwrap().len() < 300_000);
    let message = refusal(&path);
    assert!(message.contains("more than 256 times as long"), "{message}");
    assert!(message.contains(", line "), "{message}");
}

#[test]
fn gzip_members_follow_each_other_and_damage_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mtx.gz");
    gzip(&path, &[&SMALL[..30], &SMALL[30..]]);
    let data = Data::open(&path).unwrap();
    assert_eq!(entries(data.matrix()), [[7.0, 0.0, 0.0], [0.0, 0.0, 9.0]]);
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        // Cut exactly between the two members, the text itself is cut off.
        assert!(Data::open(&path).is_err(), "cut to {length} bytes");
    }
}

#[test]
fn name_and_content_must_agree() {
    let folder = tempfile::tempdir().unwrap();
    let packed = folder.path().join("a.mtx");
    gzip(&packed, &[SMALL]);
    assert!(refusal(&packed).contains("add .gz to its name"));
    let plain = folder.path().join("b.mtx.gz");
    fs::write(&plain, SMALL).unwrap();
    assert!(refusal(&plain).contains("is not a gzip file"));
    assert!(refusal(folder.path().join("c.npy.gz")).contains("unpack this file first"));
    let empty = folder.path().join("empty.npy");
    fs::write(&empty, "").unwrap();
    assert!(refusal(&empty).contains("empty.npy"));
}

#[test]
fn a_10x_folder_has_labels() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    gzip(&path("matrix.mtx.gz"), &[SMALL]);
    gzip(
        &path("features.tsv.gz"),
        &[b"ENSG1\tTP53\tGene Expression\nENSG2\tMYC\tGene Expression\n"],
    );
    fs::write(path("barcodes.tsv"), "AAA-1\r\nAAC-1\r\nAAG-1\r\n").unwrap();
    let data = Data::open(folder.path()).unwrap();
    assert_eq!(data.labels().rows.as_deref().unwrap(), ["TP53", "MYC"]);
    assert_eq!(
        data.labels().columns.as_deref().unwrap(),
        ["AAA-1", "AAC-1", "AAG-1"]
    );
    fs::write(path("barcodes.tsv"), "AAA-1\n").unwrap();
    assert!(refusal(folder.path()).contains("1 column labels for 3 columns"));
}
