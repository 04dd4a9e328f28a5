//! Packed bytes of a page, unpacked by codecs in Rust.

use crate::format::{EXPANSION, FREE};
use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use parquet::basic::CompressionCodec as Codec;
use ruzstd::decoding::StreamingDecoder;
use std::io::Read;

/// The `size` bytes of a page.
pub(super) fn unpack(codec: Codec, packed: &Bytes, size: usize) -> Result<Bytes, String> {
    let limit = (packed.len() as u64).saturating_mul(EXPANSION) + FREE;
    if size as u64 > limit {
        return Err(format!(
            "a page of {size} bytes is more than {EXPANSION} times as long as what is stored of it; if this is meant, save the file without compression"
        ));
    }
    let bytes = match codec {
        Codec::UNCOMPRESSED => packed.clone(),
        Codec::SNAPPY => snappy(packed, size)?,
        Codec::GZIP => whole(MultiGzDecoder::new(&packed[..]), size)?,
        Codec::ZSTD => {
            let decoder = StreamingDecoder::new(&packed[..]);
            whole(decoder.map_err(|cause| damaged(&cause.to_string()))?, size)?
        }
        other => {
            return Err(format!(
                "{other} compression is not supported; save the file with snappy, gzip, zstd or none"
            ));
        }
    };
    if bytes.len() == size {
        Ok(bytes)
    } else {
        let found = bytes.len();
        Err(damaged(&format!("{found} bytes in place of {size}")))
    }
}

fn snappy(packed: &[u8], size: usize) -> Result<Bytes, String> {
    // The stream has its own idea of the size, for which memory would be asked.
    let length = snap::raw::decompress_len(packed).map_err(|cause| damaged(&cause.to_string()))?;
    if length != size {
        return Err(damaged(&format!("{length} bytes in place of {size}")));
    }
    let unpacked = snap::raw::Decoder::new().decompress_vec(packed);
    unpacked
        .map(Bytes::from)
        .map_err(|cause| damaged(&cause.to_string()))
}

/// All of a stream, up to one byte more than is expected.
fn whole(stream: impl Read, size: usize) -> Result<Bytes, String> {
    let mut bytes = Vec::new();
    let read = stream.take(size as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|cause| damaged(&cause.to_string()))?;
    Ok(bytes.into())
}

fn damaged(cause: &str) -> String {
    format!("a page cannot be unpacked: {cause}")
}
