//! `proxsplit list`: what there is to choose from.

use super::solve::LOSSES;
use crate::{Outcome, output};
use clap::ValueEnum;
use proxsplit::text::{Entry, catalogue};
use serde_json::json;
use std::fmt::Write;

/// List operators, losses, methods, steps, starts and file formats
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print only this list
    #[arg(value_enum)]
    what: Option<List>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum List {
    Operators,
    Losses,
    Methods,
    Steps,
    Starts,
    Formats,
}

pub(crate) const METHODS: &[(&str, &str)] = &[
    ("auto", "chosen by size and storage; the run says which"),
    ("batch", "all data in every iteration, with extrapolation"),
    (
        "incremental",
        "mini-batches of samples; for data larger than memory",
    ),
    ("aggregated", "mini-batches with accumulated statistics"),
    ("sggd", "projected stochastic subgradient steps, a baseline"),
];

pub(crate) const METRICS: &[(&str, &str)] = &[
    ("gram", "AAᵀ, the curvature of the misfit"),
    (
        "scalar",
        "‖AAᵀ‖ times the identity, which makes the step a plain number",
    ),
];

const MISFITS: &[(&str, &str)] = &[
    ("squared", "Σ (y − z)²/2, Z = XA"),
    (
        "kl",
        "Kullback–Leibler, Σ y·log(y/z) − y + z, for counts: Y ≥ 0",
    ),
    (
        "huber:D",
        "Σ h(y − z), h(r) = r²/2 up to D and D·|r| − D²/2 beyond; robust to outliers",
    ),
];

const STEPS: &[(&str, &str)] = &[
    ("auto", "chosen to suit the method"),
    ("0.1", "a constant step"),
    (
        "diminishing:0.1,0.6",
        "first step and power: 0.1/(1 + k)^0.6; a third number delays the decrease (solve)",
    ),
    (
        "backtracking",
        "shortened until the objective decreases enough (solve, batch)",
    ),
    ("bb", "Barzilai and Borwein, safeguarded (solve, batch)"),
    ("adaptive", "follows the local curvature (solve, batch)"),
];

const STARTS: &[(&str, &str)] = &[
    (
        "auto",
        "nndsvd for sparse data without missing entries and nonnegative factors, else random",
    ),
    ("random", "scaled random numbers from the seed"),
    ("nndsvd", "from a truncated SVD, zeros kept"),
    ("nndsvda", "the same, zeros filled with the mean"),
    (
        "nndsvdar",
        "the same, zeros filled with small random numbers",
    ),
    ("DIR", "X and A from the output folder of an earlier run"),
];

const FORMATS: &[(&str, &str)] = &[
    (
        ".npy",
        "NumPy array; u8, i16, i32, f32 and f64 are memory-mapped",
    ),
    (
        ".npz",
        "NumPy arrays (file.npz:key) or scipy.sparse.save_npz",
    ),
    (".mtx, .mtx.gz", "Matrix Market, coordinate or array"),
    (
        ".csv, .tsv (.gz)",
        "cells, with or without header and labels",
    ),
    (".h5ad, .h5", "anndata (--layer NAME), 10x; HDF5"),
    (
        ".parquet",
        "a table of numbers; only if built with --features parquet",
    ),
    (
        ".png, .pgm, .tif",
        "pictures: one is a matrix; the pages of a TIFF are columns",
    ),
    ("-", "standard input; tables need --format csv or tsv"),
    (
        "FOLDER",
        "10x: matrix.mtx, features.tsv, barcodes.tsv, plain or .gz; or pictures",
    ),
    ("swimmer", "256 pictures of 32×32 with 17 known parts"),
    ("rand:ROWSxCOLS", "uniform random numbers"),
    (
        "planted:…",
        "a product of random sparse factors, with noise",
    ),
    ("webgraph:…", "a sparse power-law pattern"),
];

impl Args {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let forms: Vec<(String, String)> = catalogue()
            .map(|entry| (entry.to_string(), meaning(entry)))
            .collect();
        let operators: Vec<(&str, &str)> = forms
            .iter()
            .map(|(a, b)| (a.as_str(), b.as_str()))
            .collect();
        let all = [
            (List::Operators, "operators", &operators[..]),
            (List::Losses, "losses", &LOSSES),
            (List::Losses, "losses of factorize", MISFITS),
            (List::Methods, "methods", METHODS),
            (List::Steps, "steps", STEPS),
            (List::Starts, "starts", STARTS),
            (List::Formats, "formats", FORMATS),
        ];
        let chosen = all
            .iter()
            .filter(|(list, ..)| self.what.is_none_or(|what| what == *list));
        if self.json {
            let entry =
                |(name, meaning): &(&str, &str)| json!({ "name": name, "meaning": meaning });
            let lists = chosen.map(|(_, name, rows)| {
                let rows: serde_json::Value = rows.iter().map(entry).collect();
                ((*name).to_owned(), rows)
            });
            output::print_json(&lists.collect::<serde_json::Map<_, _>>())?;
        } else {
            output::print(
                &chosen
                    .map(|(_, name, rows)| table(name, rows))
                    .collect::<Vec<_>>()
                    .join("\n"),
            )?;
        }
        Ok(Outcome::Done)
    }
}

fn meaning(entry: &Entry) -> String {
    format!("{} ({}, {})", entry.formula, entry.class, entry.role)
}

fn table(name: &str, rows: &[(&str, &str)]) -> String {
    let width = rows
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0);
    let mut text = format!("{name}\n");
    for (name, meaning) in rows {
        let space = width - name.chars().count();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {name}{:space$}  {meaning}", "");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proxsplit_factor::{Init, Loss, Method};

    #[test]
    fn the_lists_have_the_names_of_the_library() {
        let names = |rows: &[(&'static str, &str)]| -> Vec<&str> {
            rows.iter().map(|(name, _)| *name).collect()
        };
        let methods: Vec<&str> = Method::ALL.iter().map(|method| method.name()).collect();
        assert_eq!(names(METHODS), methods);
        assert_eq!(names(MISFITS), Loss::NAMES);
        let starts: Vec<&str> = Init::ALL.iter().map(|init| init.name()).collect();
        assert_eq!(names(STARTS)[..starts.len()], starts);
    }
}
