//! The LZF filter of h5py.
//!
//! A byte c below 32 is followed by c + 1 plain bytes. Any other stands for a copy: its upper three bits are the length
//! less 2 (7 means that the next byte is to be added), its lower five and the next byte the distance less 1.

use hdf5_reader::error::{Error, Result};
use hdf5_reader::messages::filter_pipeline::FilterDescription;

/// Its number in the registry of HDF5 filters.
pub(super) const ID: u16 = 32000;
/// What three packed bytes can become at most.
const LONGEST: usize = 264;

pub(super) fn filter(_: &FilterDescription, packed: &[u8], _: usize) -> Result<Vec<u8>> {
    unpack(packed).ok_or_else(|| Error::InvalidData("the LZF stream is damaged".to_owned()))
}

fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = packed.iter();
    let mut out = Vec::with_capacity(packed.len().min(1 << 20));
    let most = packed.len().saturating_mul(LONGEST);
    while let Some(&control) = bytes.next() {
        if control < 32 {
            let plain = bytes.as_slice().get(..usize::from(control) + 1)?;
            out.extend_from_slice(plain);
            bytes = bytes.as_slice()[plain.len()..].iter();
            continue;
        }
        let mut length = usize::from(control >> 5) + 2;
        if length == 9 {
            length += usize::from(*bytes.next()?);
        }
        let distance = usize::from(control & 31) << 8 | usize::from(*bytes.next()?);
        let from = out.len().checked_sub(distance + 1)?;
        // Source and copy may overlap: that is how runs are written.
        for at in from..from + length {
            out.push(out[at]);
        }
        if out.len() > most {
            return None;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_bytes_and_copies() {
        assert_eq!(unpack(b"\x02abc").unwrap(), b"abc");
        assert_eq!(unpack(b"\x00a\x20\x00").unwrap(), b"aaaa");
        assert_eq!(unpack(b"\x02abc\xe0\x01\x02").unwrap(), b"abcabcabcabca");
        assert_eq!(unpack(b"\x02ab"), None);
        assert_eq!(unpack(b"\x20\x00"), None);
        assert_eq!(unpack(b"\x00a\xe0"), None);
    }
}
