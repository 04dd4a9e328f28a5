//! The arrays of an archive, one at a time.

use crate::error::{Fault, Place};
use crate::npy::{self, Header};
use crate::values::Values;
use std::io::{self, Read, Seek, SeekFrom};
use zip::ZipArchive;
use zip::result::ZipError;

/// Bytes that may be unpacked beside a multiple of the file's size.
const FREE: u64 = 16 << 20;
/// Times that an array may be larger than the file. The worst that zip can do is 1032.
const EXPANSION: u64 = 256;

pub(crate) struct Archive<R> {
    zip: ZipArchive<R>,
    /// Bytes that the largest array may have.
    limit: u64,
}

impl<R: Read + Seek> Archive<R> {
    pub(crate) fn new(mut source: R) -> Result<Self, Fault> {
        let size = source.seek(SeekFrom::End(0))?;
        let zip = ZipArchive::new(source).map_err(|cause| {
            Fault::whole(format!(
                "this is not a zip archive, or it was cut off: {cause}"
            ))
        })?;
        let limit = size.saturating_mul(EXPANSION).saturating_add(FREE);
        Ok(Self { zip, limit })
    }

    /// The names of the arrays, without `.npy`.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.zip.file_names().filter_map(Result::ok);
        names
            .filter_map(|name| name.strip_suffix(".npy").map(str::to_owned))
            .collect()
    }

    /// Header and numbers of an array.
    pub(crate) fn array(&mut self, name: &str) -> Result<(Header, Values), Fault> {
        self.read(name, npy::values)
    }

    /// Header and bytes of an array.
    pub(crate) fn bytes(&mut self, name: &str) -> Result<(Header, Vec<u8>), Fault> {
        self.read(name, |header, source| {
            npy::numbers(source, header.size()?.1)
        })
    }

    /// Header of an array, and what `content` makes of the bytes behind it. The checksum is verified.
    pub(crate) fn read<T>(
        &mut self,
        name: &str,
        content: impl FnOnce(&Header, &mut dyn Read) -> Result<T, Fault>,
    ) -> Result<(Header, T), Fault> {
        self.entry(&format!("{name}.npy"), |size, source| {
            let header = Header::read(source)?;
            let expected = header.size()?.1 as u64 + header.offset as u64;
            if size != expected {
                return Err(Fault::new(
                    Place::Byte(size.min(expected)),
                    format!("it has {size} bytes but its header says {expected}"),
                ));
            }
            let value = content(&header, source)?;
            Ok((header, value))
        })
        .map_err(|fault| fault.in_array(name))
    }

    /// What `content` makes of the bytes of any entry.
    pub(crate) fn entry<T>(
        &mut self,
        name: &str,
        content: impl FnOnce(u64, &mut dyn Read) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let mut entry = self.zip.by_name(name).map_err(|cause| match cause {
            ZipError::FileNotFound => Fault::whole("it is missing"),
            other => Fault::whole(other.to_string()),
        })?;
        let size = entry.size();
        if size > self.limit {
            return Err(Fault::whole(format!(
                "its {size} bytes are more than {EXPANSION} times the file; if this is intended, save it without compression"
            )));
        }
        let value = content(size, &mut entry)?;
        // The checksum is compared at the end, which only one more read reaches.
        if io::copy(&mut entry.by_ref().take(1), &mut io::sink())? > 0 {
            return Err(Fault::whole("there are extra bytes after its end"));
        }
        Ok(value)
    }
}
