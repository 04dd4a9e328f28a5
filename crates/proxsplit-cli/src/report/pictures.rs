//! Atoms and codes as pictures.

use super::picture::{Colours, shrunk};
use crate::args::Image;
use crate::factors::{Atom, Factors};
use crate::number;

/// Atoms that are shown at most.
const MOST_ATOMS: usize = 100;
/// Pixels of a picture at most; larger ones would make the page slow.
const MOST_PIXELS: usize = 256 * 256;
/// Columns of the picture of A at most.
const MOST_COLUMNS: usize = 1000;
/// Entries of A at most, for the picture.
const MOST_CODES: usize = 20_000_000;

/// The atoms as pictures.
pub(super) struct Gallery {
    pub(super) caption: String,
    /// The width of one picture on the page.
    pub(super) wide: usize,
    pub(super) pictures: Vec<Shown>,
}

/// One atom as a picture.
pub(super) struct Shown {
    pub(super) name: String,
    pub(super) picture: String,
    /// Whether nothing uses it.
    pub(super) dim: bool,
}

/// Pictures of the largest atoms; `None` if the shape does not fit.
pub(super) fn gallery(factors: &Factors, atoms: &[Atom], image: Image) -> Option<Gallery> {
    let Image { rows, cols, .. } = image;
    if rows * cols != factors.x.rows() || rows * cols > MOST_PIXELS {
        return None;
    }
    let total: f64 = atoms.iter().map(|atom| atom.size).sum();
    let pictures = atoms.iter().take(MOST_ATOMS).map(|atom| {
        let x = image.by_rows(factors.x.col(atom.index));
        Shown {
            name: name(atom, total),
            picture: Colours::of(&x).picture(cols, &x),
            dim: atom.size == 0.0,
        }
    });
    let pictures: Vec<_> = pictures.collect();
    let all = if pictures.len() < atoms.len() {
        format!("The {} largest of {} atoms", pictures.len(), atoms.len())
    } else {
        format!("All {} atoms", atoms.len())
    };
    let colours = if factors.x.data().iter().any(|v| *v < 0.0) {
        "white is 0, red is positive, blue is negative"
    } else {
        "black is 0, white is the largest entry of the atom"
    };
    Some(Gallery {
        caption: format!(
            "{all}, {rows} × {cols}: number and share of ‖x‖·‖a‖, dimmed if the share is 0; {colours}."
        ),
        wide: (110.0 * (cols as f64 / rows as f64).clamp(0.5, 2.0)) as usize,
        pictures,
    })
}

/// Number of an atom and its share of all sizes.
pub(super) fn name(atom: &Atom, total: f64) -> String {
    if atom.size == 0.0 {
        return format!("{} · unused", atom.index);
    }
    let share = number::percent(atom.size / total.max(f64::MIN_POSITIVE));
    format!("{} · {share}", atom.index)
}

/// The factor A as a picture.
pub(super) struct Codes {
    pub(super) caption: String,
    pub(super) tall: usize,
    pub(super) picture: String,
}

/// One line an atom, one column a sample (or a mean of neighbours).
pub(super) fn codes(factors: &Factors, atoms: &[Atom]) -> Option<Codes> {
    let (rank, samples) = (factors.a.rows(), factors.a.cols());
    if samples < 2 || factors.a.data().len() > MOST_CODES {
        return None;
    }
    let lines = atoms.iter().take(MOST_ATOMS);
    let rows: Vec<f64> = lines
        .flat_map(|atom| {
            // Scale moves freely between x and a, so a code is shown with the norm of its atom.
            let x = factors.x.col(atom.index);
            let norm = x.iter().map(|v| v * v).sum::<f64>().sqrt();
            let row = (0..samples).map(move |t| norm * factors.a.data()[t * rank + atom.index]);
            row.collect::<Vec<_>>()
        })
        .collect();
    let (columns, small) = shrunk(samples, &rows, MOST_COLUMNS);
    let lines = small.len() / columns;
    let each = samples.div_ceil(columns);
    let width = match each {
        1 => "a sample".to_owned(),
        _ => format!("the mean of {each} neighbouring samples"),
    };
    Some(Codes {
        caption: format!(
            "A, one row per atom (the largest on top), each column is {width}; codes are multiplied by ‖x‖."
        ),
        tall: (14 * lines).clamp(60, 480),
        picture: Colours::of(&small).picture(columns, &small),
    })
}
