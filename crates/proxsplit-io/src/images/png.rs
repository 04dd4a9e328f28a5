//! PNG, by the crate `png`, which is told how much memory a file of this size may need.

use super::grey::grey;
use super::{Picture, limit};
use crate::error::Fault;
use crate::values::Values;
use png::{BitDepth, Decoder, DecodingError, Limits, Transformations};
use std::io::Cursor;

pub(super) fn read(bytes: &[u8]) -> Result<Picture, Fault> {
    let most = limit(bytes.len());
    let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: most });
    // Palettes become colours, and pixels of fewer than 8 bits become bytes.
    decoder.set_transformations(Transformations::EXPAND);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let mut reader = decoder.read_info().map_err(|cause| wrong(&cause))?;
    let size = reader.output_buffer_size().filter(|&size| size <= most);
    let Some(size) = size else {
        let (wide, high) = reader.info().size();
        return Err(Fault::whole(format!(
            "{} bytes cannot hold {wide} × {high} pixels",
            bytes.len()
        )));
    };
    let mut pixels = vec![0; size];
    let frame = reader
        .next_frame(&mut pixels)
        .map_err(|cause| wrong(&cause))?;
    pixels.truncate(frame.buffer_size());
    let channels = frame.color_type.samples();
    let values = if frame.bit_depth == BitDepth::Sixteen {
        let words = pixels.chunks_exact(2);
        let words = words.map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
        let words = grey(words.collect(), channels, u16::MAX, |v| v.round() as u16)?;
        Values::I32(words.into_iter().map(i32::from).collect())
    } else {
        Values::U8(grey(pixels, channels, u8::MAX, |v| v.round() as u8)?)
    };
    Picture::new(frame.height as usize, frame.width as usize, values)
}

fn wrong(cause: &DecodingError) -> Fault {
    Fault::whole(format!("this is not a complete PNG file: {cause}"))
}
