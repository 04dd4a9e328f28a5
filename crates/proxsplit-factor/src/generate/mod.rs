//! Generated data with known structure: `swimmer`, `rand:MxN`, `planted:MxNxK[,noise,density]`, `webgraph:MxN,nnz`.

mod random;
mod swimmer;
mod webgraph;

use proxsplit::Error;
use proxsplit::data::{Dense, Elements, Indices, Matrix, Sparse, StorageOrder};
use random::{planted, uniform};
use swimmer::swimmer;
use webgraph::webgraph;

/// A generated matrix, which owns its numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Generated {
    rows: usize,
    cols: usize,
    storage: Storage,
}

#[derive(Debug, Clone, PartialEq)]
enum Storage {
    /// By columns.
    Dense(Vec<f64>),
    /// By rows: starts and indices of ones.
    Pattern(Vec<i64>, Vec<i32>, Vec<u8>),
}

impl Generated {
    /// Reads a text form; `None` if it names no generated data.
    pub fn parse(text: &str, seed: u64) -> Option<Result<Self, Error>> {
        let (name, arguments) = text.split_once(':').unwrap_or((text, ""));
        let (shape, numbers) = arguments.split_once(',').unwrap_or((arguments, ""));
        let shape: Option<Vec<usize>> = shape.split('x').map(|n| n.trim().parse().ok()).collect();
        let shape = shape.unwrap_or_default();
        let numbers: Option<Vec<f64>> = match numbers {
            "" => Some(Vec::new()),
            list => list.split(',').map(|n| n.trim().parse().ok()).collect(),
        };
        let bad = |form: &str| {
            Err(Error::Incompatible(format!(
                "cannot read '{text}': the form is {form}"
            )))
        };
        let numbers = numbers.unwrap_or_else(|| vec![f64::NAN; 9]);
        Some(match (name, &shape[..], &numbers[..]) {
            ("swimmer", _, _) if arguments.is_empty() => Ok(swimmer()),
            ("swimmer", _, _) => bad("swimmer"),
            ("rand", &[m, n], []) => uniform(m, n, seed),
            ("rand", _, _) => bad("rand:ROWSxCOLUMNS"),
            ("planted", &[m, n, k], []) => planted((m, n, k), (0.0, 0.5), seed),
            ("planted", &[m, n, k], &[noise]) => planted((m, n, k), (noise, 0.5), seed),
            ("planted", &[m, n, k], &[noise, density]) => {
                planted((m, n, k), (noise, density), seed)
            }
            ("planted", _, _) => bad("planted:ROWSxCOLUMNSxRANK[,NOISE[,DENSITY]]"),
            ("webgraph", &[m, n], &[stored]) => webgraph((m, n), stored, seed),
            ("webgraph", _, _) => bad("webgraph:ROWSxCOLUMNS,ENTRIES"),
            _ => return None,
        })
    }

    /// A view.
    pub fn matrix(&self) -> Result<Matrix<'_>, Error> {
        match &self.storage {
            Storage::Dense(values) => {
                let elements = Elements::F64(values);
                Ok(Dense::new(self.rows, self.cols, StorageOrder::ColumnMajor, elements)?.into())
            }
            Storage::Pattern(starts, indices, ones) => Ok(Sparse::new(
                (self.rows, self.cols),
                StorageOrder::RowMajor,
                Indices::I64(starts),
                Indices::I32(indices),
                Elements::U8(ones),
            )?
            .into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> Generated {
        Generated::parse(text, 3).unwrap().unwrap()
    }

    #[test]
    fn shapes_and_counts_are_as_asked() {
        let graph = made("webgraph:500x700,2000");
        let matrix = graph.matrix().unwrap();
        assert_eq!(
            (matrix.rows(), matrix.cols(), matrix.stored()),
            (500, 700, 2000)
        );
        assert_eq!(made("rand:3x4").matrix().unwrap().stored(), 12);
        assert_eq!(made("planted:5x6x2,0.1"), made("planted:5x6x2,0.1,0.5"));
        assert!(Generated::parse("data.npy", 0).is_none());
        for bad in [
            "rand:3",
            "rand:0x4",
            "planted:3x3x4",
            "webgraph:9x9",
            "rand:ax3",
            "planted:3x3x1,x",
            "swimmer:2",
        ] {
            assert!(Generated::parse(bad, 0).unwrap().is_err(), "{bad}");
        }
    }
}
