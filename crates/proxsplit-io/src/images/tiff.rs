//! TIFF, one picture or a stack, by the crate `tiff`, which is told how much memory a file of this size may need.

use super::grey::grey;
use super::{Picture, limit};
use crate::error::Fault;
use crate::values::Values;
use std::io::Cursor;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::{ColorType, TiffError};

pub(super) fn read(bytes: &[u8]) -> Result<Vec<Picture>, Fault> {
    let mut room = limit(bytes.len());
    let mut limits = Limits::default();
    limits.decoding_buffer_size = room;
    limits.intermediate_buffer_size = room;
    limits.ifd_value_size = bytes.len();
    let decoder = Decoder::new(Cursor::new(bytes)).map_err(|cause| wrong(&cause))?;
    let mut decoder = decoder.with_limits(limits);
    let mut pages = Vec::new();
    loop {
        let page = page(&mut decoder)?;
        // Pages can share their bytes: all together must be plausible, not each alone.
        let size = page.rows * page.cols;
        room = room.checked_sub(size).ok_or_else(|| {
            Fault::whole(format!(
                "the file of {} bytes cannot hold that many pages",
                bytes.len()
            ))
        })?;
        pages.push(page);
        if !decoder.more_images() {
            return Ok(pages);
        }
        decoder.next_image().map_err(|cause| wrong(&cause))?;
    }
}

fn page(decoder: &mut Decoder<Cursor<&[u8]>>) -> Result<Picture, Fault> {
    let (wide, high) = decoder.dimensions().map_err(|cause| wrong(&cause))?;
    let channels = match decoder.colortype().map_err(|cause| wrong(&cause))? {
        ColorType::Gray(8..) => 1,
        ColorType::GrayA(8..) => 2,
        ColorType::RGB(8..) => 3,
        ColorType::RGBA(8..) => 4,
        other => {
            return Err(Fault::whole(format!(
                "pixels of the kind {other:?} are not supported; save the picture as grey or RGB with 8 or 16 bits"
            )));
        }
    };
    let values = values(
        decoder.read_image().map_err(|cause| wrong(&cause))?,
        channels,
    )?;
    Picture::new(high as usize, wide as usize, values)
}

fn values(pixels: DecodingResult, channels: usize) -> Result<Values, Fault> {
    Ok(match pixels {
        DecodingResult::U8(pixels) => {
            Values::U8(grey(pixels, channels, u8::MAX, |v| v.round() as u8)?)
        }
        DecodingResult::U16(pixels) => {
            let words = grey(pixels, channels, u16::MAX, |v| v.round() as u16)?;
            Values::I32(words.into_iter().map(i32::from).collect())
        }
        DecodingResult::I16(pixels) => {
            Values::I16(grey(pixels, channels, i16::MAX, |v| v.round() as i16)?)
        }
        DecodingResult::I32(pixels) => {
            Values::I32(grey(pixels, channels, i32::MAX, |v| v.round() as i32)?)
        }
        DecodingResult::F32(pixels) => Values::F32(grey(pixels, channels, 1.0, |v| v as f32)?),
        DecodingResult::F64(pixels) => Values::F64(grey(pixels, channels, 1.0, |v| v)?),
        _ => {
            let cause = "numbers of this type are not supported; save the picture with 8 or 16 bits, or as 32-bit floats";
            return Err(Fault::whole(cause));
        }
    })
}

fn wrong(cause: &TiffError) -> Fault {
    Fault::whole(format!("this is not a complete TIFF file: {cause}"))
}
