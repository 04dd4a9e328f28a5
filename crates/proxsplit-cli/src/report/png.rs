//! Small pictures as PNG inside the page: 8 bits a pixel with a palette, in a `data:` address.

use flate2::{Compression, Crc, write::ZlibEncoder};
use std::io::Write;

/// A colour of the palette.
pub(super) type Rgb = [u8; 3];

/// The picture as a `data:` address. `pixels` are indices of the palette, row by row.
pub(super) fn data_address(width: usize, pixels: &[u8], palette: &[Rgb]) -> String {
    let mut address = "data:image/png;base64,".to_owned();
    encode_base64(&png(width, pixels, palette), &mut address);
    address
}

fn png(width: usize, pixels: &[u8], palette: &[Rgb]) -> Vec<u8> {
    let height = pixels.len() / width;
    let mut header = Vec::with_capacity(13);
    header.extend((width as u32).to_be_bytes());
    header.extend((height as u32).to_be_bytes());
    // 8 bits, palette, deflate, no filter choice beyond the rows' own, not interlaced.
    header.extend([8, 3, 0, 0, 0]);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut file, *b"IHDR", &header);
    chunk(&mut file, *b"PLTE", palette.as_flattened());
    chunk(&mut file, *b"IDAT", &compressed(width, pixels));
    chunk(&mut file, *b"IEND", &[]);
    file
}

fn compressed(width: usize, pixels: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    for row in pixels.chunks_exact(width) {
        // Every row begins with its filter, 0 for none. Writing to memory cannot fail.
        let _ = encoder.write_all(&[0]);
        let _ = encoder.write_all(row);
    }
    encoder.finish().unwrap_or_default()
}

fn chunk(file: &mut Vec<u8>, name: [u8; 4], content: &[u8]) {
    let mut sum = Crc::new();
    sum.update(&name);
    sum.update(content);
    file.extend((content.len() as u32).to_be_bytes());
    file.extend(name);
    file.extend(content);
    file.extend(sum.sum().to_be_bytes());
}

fn encode_base64(bytes: &[u8], out: &mut String) {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for group in bytes.chunks(3) {
        let word = (0..3).fold(0_u32, |word, i| {
            word << 8 | u32::from(group.get(i).copied().unwrap_or(0))
        });
        for i in 0..4 {
            let sign = SIGNS[(word >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= group.len() {
                char::from(sign)
            } else {
                '='
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_matches_the_examples_of_rfc_4648() {
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, coded) in cases {
            let mut out = String::new();
            encode_base64(plain.as_bytes(), &mut out);
            assert_eq!(out, coded);
        }
    }

    #[test]
    fn the_picture_has_its_size_and_all_rows() {
        let file = png(3, &[0, 1, 2, 2, 1, 0], &[[0; 3], [9; 3], [255; 3]]);
        assert_eq!(file[16..24], [0, 0, 0, 3, 0, 0, 0, 2]);
        let at = file.windows(4).position(|w| w == b"IDAT").unwrap();
        let length = u32::from_be_bytes(file[at - 4..at].try_into().unwrap()) as usize;
        let mut rows = Vec::new();
        let stream = &file[at + 4..at + 4 + length];
        std::io::Read::read_to_end(&mut flate2::read::ZlibDecoder::new(stream), &mut rows).unwrap();
        assert_eq!(rows, [0, 0, 1, 2, 0, 2, 1, 0]);
    }
}
