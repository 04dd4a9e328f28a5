//! `RxC` and `RxC:rows`: how a feature vector is laid out as a picture.

use std::fmt;
use std::str::FromStr;

/// A picture of `rows` × `cols` pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    /// Whether rows stand one after the other; columns otherwise, as everywhere in the text forms.
    pub(crate) row_major: bool,
}

impl Image {
    /// The pixels of a feature vector, row by row.
    pub(crate) fn by_rows(&self, x: &[f64]) -> Vec<f64> {
        let (rows, cols) = (self.rows, self.cols);
        if self.row_major {
            x.to_vec()
        } else {
            (0..rows * cols)
                .map(|p| x[p / cols + p % cols * rows])
                .collect()
        }
    }
}

impl FromStr for Image {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (shape, row_major) = match text.split_once(':') {
            None => (text, false),
            Some((shape, "columns")) => (shape, false),
            Some((shape, "rows")) => (shape, true),
            Some((_, order)) => {
                return Err(format!(
                    "'{order}' is not a pixel order: use rows or columns"
                ));
            }
        };
        let sides = shape
            .split_once('x')
            .ok_or("expected RxC, for example 19x19")?;
        let side = |text: &str| match text.parse() {
            Ok(side) if side > 0 => Ok(side),
            _ => Err(format!(
                "'{text}' is not a number of pixels: use whole numbers of at least 1"
            )),
        };
        let (rows, cols): (usize, usize) = (side(sides.0)?, side(sides.1)?);
        rows.checked_mul(cols).ok_or("the picture is too large")?;
        Ok(Self {
            rows,
            cols,
            row_major,
        })
    }
}

impl fmt::Display for Image {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let order = if self.row_major { ":rows" } else { "" };
        write!(out, "{}x{}{order}", self.rows, self.cols)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_and_printed() {
        for text in ["19x19", "192x168", "8x8:rows"] {
            assert_eq!(text.parse::<Image>().unwrap().to_string(), text);
        }
        assert_eq!("8x8:columns".parse::<Image>().unwrap().to_string(), "8x8");
        let image: Image = "2x3".parse().unwrap();
        assert_eq!(
            image.by_rows(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
            [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]
        );
        for text in [
            "",
            "19",
            "0x3",
            "3x-1",
            "axb",
            "8x8:cols",
            "99999999999x99999999999",
        ] {
            assert!(text.parse::<Image>().is_err(), "{text}");
        }
    }
}
