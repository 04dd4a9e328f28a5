//! Colours as luminance.

use crate::error::Fault;

/// One number a pixel. Colours become 0.299 R + 0.587 G + 0.114 B; transparency is refused unless every pixel is `opaque`.
pub(super) fn grey<T: Copy + PartialEq + Into<f64>>(
    pixels: Vec<T>,
    channels: usize,
    opaque: T,
    of: impl Fn(f64) -> T,
) -> Result<Vec<T>, Fault> {
    let (colours, alpha) = match channels {
        1 => return Ok(pixels),
        2 => (1, true),
        3 => (3, false),
        4 => (3, true),
        _ => {
            return Err(Fault::whole(format!(
                "a pixel has {channels} numbers; save the picture as grey or RGB"
            )));
        }
    };
    let pixels = pixels.chunks_exact(channels);
    if alpha && pixels.clone().any(|pixel| pixel[colours] != opaque) {
        return Err(Fault::whole(
            "some pixels are transparent; flatten the picture first",
        ));
    }
    let luminance = |pixel: &[T]| match *pixel {
        [r, g, b, ..] if colours == 3 => {
            let [r, g, b]: [f64; 3] = [r.into(), g.into(), b.into()];
            of(0.299 * r + 0.587 * g + 0.114 * b)
        }
        [grey, ..] => grey,
        [] => of(0.0),
    };
    Ok(pixels.map(luminance).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_become_luminance_and_grey_stays() {
        let of = |v: f64| v.round() as u8;
        let told = |pixels: &[u8], channels| grey(pixels.to_vec(), channels, 255, of).ok();
        assert_eq!(told(&[7, 8], 1), Some(vec![7, 8]));
        assert_eq!(told(&[255, 0, 0, 9, 9, 9], 3), Some(vec![76, 9]));
        assert_eq!(told(&[0, 0, 255, 255, 8, 8, 8, 255], 4), Some(vec![29, 8]));
        assert_eq!(told(&[5, 255, 6, 255], 2), Some(vec![5, 6]));
        assert_eq!(told(&[5, 254], 2), None);
        assert_eq!(told(&[5; 5], 5), None);
    }
}
