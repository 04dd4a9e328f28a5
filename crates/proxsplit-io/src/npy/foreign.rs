//! Number types that are not stored as they are: converted to the smallest stored type that holds them exactly.

use super::descr::Descr;
use crate::error::Fault;
use crate::values::{Values, exact};

/// Converts the entries of an array.
pub(super) fn convert(bytes: &[u8], descr: Descr) -> Result<Values, Fault> {
    if descr.is_text() {
        return Err(Fault::whole("the array holds text, not numbers"));
    }
    let entries = bytes
        .chunks_exact(descr.size)
        .map(move |entry| decode(little_endian(entry, descr), descr));
    if let Some(at) = entries.clone().position(|value| value.is_none()) {
        return Err(Fault::whole(format!(
            "entry {at} is an integer beyond ±2⁵³, which float64 cannot hold exactly; scale or convert the array"
        )));
    }
    let numbers = entries.map(Option::unwrap_or_default);
    Ok(match (descr.letter, descr.size) {
        (b'f', 8) => Values::F64(numbers.collect()),
        (b'f', _) => Values::F32(numbers.map(|v| v as f32).collect()),
        _ => Values::smallest(numbers),
    })
}

/// The bytes of one entry, least significant first, filled up with zeros.
fn little_endian(entry: &[u8], descr: Descr) -> [u8; 8] {
    let mut bytes = [0; 8];
    let bytes_used = &mut bytes[..descr.size];
    bytes_used.copy_from_slice(entry);
    if descr.big_endian {
        bytes_used.reverse();
    }
    bytes
}

/// The number in these bytes, unless `f64` cannot hold it.
fn decode(b: [u8; 8], descr: Descr) -> Option<f64> {
    match (descr.letter, descr.size) {
        (b'b', _) => Some(f64::from(u8::from(b[0] != 0))),
        (b'i', 1) => Some(f64::from(b[0].cast_signed())),
        (b'i', 2) => Some(f64::from(i16::from_le_bytes([b[0], b[1]]))),
        (b'i', 4) => Some(f64::from(i32::from_le_bytes([b[0], b[1], b[2], b[3]]))),
        (b'f', 2) => Some(half(u16::from_le_bytes([b[0], b[1]]))),
        (b'f', 4) => Some(f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]))),
        (b'f', _) => Some(f64::from_le_bytes(b)),
        (b'i', _) => exact(i64::from_le_bytes(b)),
        _ => i64::try_from(u64::from_le_bytes(b)).ok().and_then(exact),
    }
}

/// A 16-bit float: 1 sign, 5 exponent and 10 fraction bits (IEEE 754-2008, binary16).
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f64::from(bits & 0x3ff) / 1024.0;
    sign * match exponent {
        0 => fraction * 2.0_f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction) * 2.0_f64.powi(exponent - 15),
    }
}
