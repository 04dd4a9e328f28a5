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
            "a page of {size} bytes is more than {EXPANSION} times as long as what is stored of it; if this is intended, save the file without compression"
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
        Err(damaged(&format!("{found} bytes instead of {size}")))
    }
}

fn snappy(packed: &[u8], size: usize) -> Result<Bytes, String> {
    // The stream has its own idea of the size, for which memory would be asked.
    let length = snap::raw::decompress_len(packed).map_err(|cause| damaged(&cause.to_string()))?;
    if length != size {
        return Err(damaged(&format!("{length} bytes instead of {size}")));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(codec: Codec, packed: &[u8], size: usize) -> String {
        unpack(codec, &Bytes::copy_from_slice(packed), size).unwrap_err()
    }

    #[test]
    fn sizes_are_not_believed() {
        let text = [7; 1000];
        let packed = snap::raw::Encoder::new().compress_vec(&text).unwrap();
        let whole = unpack(Codec::SNAPPY, &Bytes::copy_from_slice(&packed), 1000).unwrap();
        assert_eq!(whole, &text[..]);
        assert!(refusal(Codec::SNAPPY, &packed, 999).contains("1000 bytes instead of 999"));
        assert!(refusal(Codec::SNAPPY, &packed, 1 << 30).contains("256 times as long"));
        assert!(refusal(Codec::UNCOMPRESSED, &text, 999).contains("1000 bytes instead of 999"));
        // A stream that says 4 GB of itself.
        let large = [0xff, 0xff, 0xff, 0xff, 0x0f, 0];
        assert!(refusal(Codec::SNAPPY, &large, 1000).contains("instead of 1000"));
    }

    #[test]
    fn damaged_streams_are_refused() {
        for codec in [Codec::SNAPPY, Codec::GZIP, Codec::ZSTD] {
            for packed in [&b""[..], b"\x28\xb5\x2f\xfd", b"\x1f\x8b\x08", &[0xff; 40]] {
                assert!(refusal(codec, packed, 100).contains("cannot be unpacked"));
            }
        }
        assert!(refusal(Codec::LZ4, b"", 0).contains("LZ4 compression is not supported"));
    }
}
