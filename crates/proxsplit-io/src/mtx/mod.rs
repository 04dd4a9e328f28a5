//! `.mtx`: Matrix Market files.
//!
//! R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix Market Exchange Formats: Initial Design", 1996.

mod array;
mod banner;
mod coordinate;

use crate::content::Content;
use crate::error::Fault;
use crate::format::Text;
use crate::nan::Nan;
use crate::text::{Lines, unsigned, word};
use banner::{Banner, Layout};

/// Reads a matrix from text.
pub(crate) fn read(text: Text<'_>, nan: Nan) -> Result<Content, Fault> {
    let mut lines = Lines::new(text);
    let first = lines
        .next()?
        .ok_or_else(|| Fault::whole("the file is empty"))?;
    let banner = Banner::parse(first).map_err(|cause| lines.fault(cause))?;
    match banner.layout {
        Layout::Coordinate => {
            let [rows, cols, entries] = sizes(&mut lines, "rows, columns, entries")?;
            coordinate::read(lines, (banner, nan), (rows, cols), entries)
        }
        Layout::Array => {
            let [rows, cols] = sizes(&mut lines, "rows, columns")?;
            array::read(lines, (banner, nan), (rows, cols))
        }
    }
}

/// The next line that is not a comment.
fn data_line<'l>(lines: &'l mut Lines<'_>) -> Result<Option<&'l [u8]>, Fault> {
    lines.next_where(|line| line[0] != b'%')
}

fn sizes<const N: usize>(lines: &mut Lines<'_>, names: &str) -> Result<[usize; N], Fault> {
    let mut line = data_line(lines)?
        .ok_or_else(|| Fault::whole(format!("the file ends before the line of sizes ({names})")))?;
    let mut sizes = [0; N];
    let mut given = sizes.iter_mut().all(|size| {
        let value = word(&mut line).and_then(unsigned);
        *size = value.unwrap_or_default() as usize;
        value.is_some()
    });
    given &= word(&mut line).is_none();
    if given {
        Ok(sizes)
    } else {
        Err(lines.fault(format!("this line must have {N} numbers: {names}")))
    }
}
