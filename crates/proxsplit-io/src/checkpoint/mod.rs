//! The state of a run in one file: an uncompressed `.npz` with a JSON header.
//!
//! NumPy can open it. Every entry has a checksum, and the header lists the arrays: what is loaded is what was saved, to
//! the last bit, or an error.

mod array;

use crate::error::{Error, Fault};
use crate::npy;
use crate::npz::{Archive, write::archive, write::start};
use crate::output::atomic;
pub use array::Array;
use proxsplit::data::StorageOrder;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::Path;
use zip::CompressionMethod;

/// Name and version of the layout; a file with another one is refused.
const LAYOUT: &str = "proxsplit checkpoint 1";
const HEADER: &str = "header.json";

/// What is needed to go on with a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint<'a> {
    /// Settings, data digest, position: whatever must agree or be restored.
    pub header: Value,
    /// Named numbers.
    pub arrays: Vec<(String, Array<'a>)>,
}

impl<'a> Checkpoint<'a> {
    /// Replaces the file by this checkpoint; a kill at any moment leaves the old one or the new one.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        atomic::write(path.as_ref(), &mut |out| self.write(out))
    }

    fn write(&self, out: impl Write + Seek) -> io::Result<()> {
        let method = CompressionMethod::Stored;
        let names: Vec<_> = self.arrays.iter().map(|(name, _)| name).collect();
        let header = json!({ "layout": LAYOUT, "arrays": names, "header": self.header });
        let text = serde_json::to_vec(&header)?;
        archive(out, |zip| {
            start(zip, HEADER, text.len(), method)?;
            zip.write_all(&text)?;
            for (name, array) in &self.arrays {
                let (descr, count, bytes) = array.parts();
                start(zip, &format!("{name}.npy"), bytes.len(), method)?;
                zip.write_all(&npy::write::header(descr, StorageOrder::RowMajor, &[count]))?;
                zip.write_all(bytes)?;
            }
            Ok(())
        })
    }

    /// Removes an array and returns it.
    pub fn take(&mut self, name: &str) -> Option<Array<'a>> {
        let at = self.arrays.iter().position(|(other, _)| other == name)?;
        Some(self.arrays.swap_remove(at).1)
    }
}

impl Checkpoint<'static> {
    /// Reads a checkpoint and verifies it.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|cause| Error::system("read", path, cause))?;
        read(BufReader::new(file)).map_err(|fault| {
            let fault = fault
                .because("the checkpoint is damaged and cannot be used; remove it to start over");
            fault.of(path)
        })
    }
}

fn read(source: impl Read + Seek) -> Result<Checkpoint<'static>, Fault> {
    let mut archive = Archive::new(source)?;
    let (names, header) = archive
        .entry(HEADER, |size, source| parse_header(size, source))
        .map_err(|fault| fault.in_array(HEADER))?;
    let mut found = archive.names();
    let mut expected = names.clone();
    found.sort();
    expected.sort();
    if found != expected {
        return Err(Fault::whole(
            "its arrays are not those that its header lists",
        ));
    }
    let arrays = names.into_iter().map(|name| {
        let (_, array) = archive.read(&name, Array::read)?;
        Ok((name, array))
    });
    let arrays = arrays.collect::<Result<_, Fault>>()?;
    Ok(Checkpoint { header, arrays })
}

/// The names of the arrays, and the caller's header.
fn parse_header(size: u64, source: &mut dyn Read) -> Result<(Vec<String>, Value), Fault> {
    let wrong =
        || Fault::whole("this is not the header of a checkpoint that this version can read");
    let text: Vec<u8> = npy::numbers(source, size as usize)?;
    let mut whole: Value = serde_json::from_slice(&text).map_err(|_| wrong())?;
    if whole["layout"] != LAYOUT {
        return Err(wrong());
    }
    let names = serde_json::from_value(whole["arrays"].take()).map_err(|_| wrong())?;
    let header = whole["header"].take();
    Ok((names, header))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn sample() -> Checkpoint<'static> {
        Checkpoint {
            header: json!({ "pass": 3, "digest": "00ff" }),
            arrays: vec![
                ("X".to_owned(), vec![0.1_f64, -0.0, f64::INFINITY].into()),
                ("rng".to_owned(), vec![u64::MAX, 1].into()),
            ],
        }
    }

    #[test]
    fn damage_to_any_byte_is_refused_or_harmless() {
        let saved = sample();
        let mut out = Cursor::new(Vec::new());
        saved.write(&mut out).unwrap();
        let whole = out.into_inner();
        assert_eq!(read(Cursor::new(&whole)).unwrap(), saved);
        let mut refused = 0;
        for at in 0..whole.len() {
            assert!(read(Cursor::new(&whole[..at])).is_err(), "cut to {at}");
            let mut damaged = whole.clone();
            damaged[at] ^= 0x41;
            match read(Cursor::new(&damaged)) {
                Ok(loaded) => assert_eq!(loaded, saved, "byte {at}"),
                Err(_) => refused += 1,
            }
        }
        // Only dates, versions and the like may change unseen.
        assert!(refused > whole.len() / 2, "{refused} of {}", whole.len());
    }

    /// A disk with room for so many bytes.
    struct Disk(Cursor<Vec<u8>>, usize);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0.position() as usize + bytes.len() > self.1 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.0.write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Disk {
        fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }

    #[test]
    fn a_disk_that_fills_up_at_any_byte_is_an_error() {
        let mut whole = Cursor::new(Vec::new());
        sample().write(&mut whole).unwrap();
        let length = whole.into_inner().len();
        for room in 0..length {
            let result = sample().write(Disk(Cursor::default(), room));
            let cause = result.expect_err("there is no room");
            assert_eq!(
                cause.kind(),
                io::ErrorKind::StorageFull,
                "{room} of {length}"
            );
        }
        sample().write(Disk(Cursor::default(), length)).unwrap();
    }
}
