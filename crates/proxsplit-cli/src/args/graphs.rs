//! Graphs that make codes of similar samples, or entries of neighbouring features, alike, from files.

use super::positive;
use crate::scalar::Scalar;
use anyhow::Context;
use proxsplit_factor::{Graph, Problem};
use proxsplit_io::Data;
use std::path::PathBuf;

/// The options.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct GraphFiles {
    /// A file of similarities ≥ 0 between samples (samples × samples, preferably sparse); adds ½γΣ w_ij‖a_i − a_j‖², which draws the codes of similar samples together
    #[arg(long, value_name = "FILE")]
    a_graph: Option<PathBuf>,
    /// γ of --a-graph
    #[arg(long, value_name = "G", default_value_t = 1.0, value_parser = positive, requires = "a_graph")]
    a_graph_weight: f64,
    /// The same for features (features × features), which draws the entries of similar features together
    #[arg(long, value_name = "FILE")]
    x_graph: Option<PathBuf>,
    /// γ of --x-graph
    #[arg(long, value_name = "G", default_value_t = 1.0, value_parser = positive, requires = "x_graph")]
    x_graph_weight: f64,
}

/// A graph as a run remembers it: the file with its digest, and γ.
type Described = (Option<String>, Option<f64>);

/// The graphs of features and of samples.
pub(crate) struct GraphData<T> {
    features: Option<Graph<T>>,
    samples: Option<Graph<T>>,
}

impl GraphFiles {
    /// The files that are given.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let both = [&self.x_graph, &self.a_graph];
        both.into_iter().flatten().cloned().collect()
    }

    /// The graphs of features and of samples, as a run remembers them.
    pub(crate) fn described(&self) -> anyhow::Result<[Described; 2]> {
        let words = |path: &Option<PathBuf>, weight: f64| match path {
            None => anyhow::Ok((None, None)),
            Some(path) => {
                let digest = Data::open(path)?.digest().to_owned();
                Ok((Some(format!("{} ({digest})", path.display())), Some(weight)))
            }
        };
        Ok([
            words(&self.x_graph, self.x_graph_weight)?,
            words(&self.a_graph, self.a_graph_weight)?,
        ])
    }

    /// Reads them.
    pub(crate) fn read<T: Scalar>(&self) -> anyhow::Result<GraphData<T>> {
        let read = |name: &str, path: &Option<PathBuf>, weight: f64| {
            let read = |path: &PathBuf| {
                let file = || format!("{name} {}", path.display());
                let data = Data::open(path).with_context(file)?;
                Graph::new(data.matrix(), weight).with_context(file)
            };
            path.as_ref().map(read).transpose()
        };
        Ok(GraphData {
            features: read("--x-graph", &self.x_graph, self.x_graph_weight)?,
            samples: read("--a-graph", &self.a_graph, self.a_graph_weight)?,
        })
    }
}

impl<T: Scalar> GraphData<T> {
    /// The problem with its graphs.
    pub(crate) fn join<'a>(
        &'a self,
        problem: Problem<'a, T>,
    ) -> Result<Problem<'a, T>, proxsplit::Error> {
        problem.with_graphs(self.features.as_ref(), self.samples.as_ref())
    }
}
