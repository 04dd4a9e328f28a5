//! `proxsplit factorize`: Y ≈ XA, from data to files.

mod checkpoint;
mod drive;
mod options;
mod result;
mod start;

use crate::args::Image;
use crate::input::Input;
use crate::interrupt::Interrupt;
use crate::scalar::{Dtype, Scalar};
use crate::{Outcome, output, terms};
use anyhow::ensure;
use checkpoint::{Fit, Keeper};
use proxsplit_factor::{Factorization, Problem};
use proxsplit_io::OutputDir;
use result::Finished;
use std::path::PathBuf;

pub(crate) use options::Args;

impl Args {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let settings = self.settings()?;
        let folder = self.folder()?;
        if let Some(threads) = self.threads {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads.into())
                .build_global()?;
        }
        let input = Input::open(&self.data, self.samples, self.missing, &self.reading)?;
        let image = self.image.or(input.image());
        self.check_shape(&input, image)?;
        match self.dtype {
            Dtype::F32 => self.factorize::<f32>(&settings, &folder, &input, image),
            Dtype::F64 => self.factorize::<f64>(&settings, &folder, &input, image),
        }
    }

    /// The output folder, if nothing in it would be lost.
    fn folder(&self) -> anyhow::Result<OutputDir> {
        let path = self.out.clone().unwrap_or_else(|| self.default_folder());
        let kept = [&result::FILES[..], &[checkpoint::FILE]].concat();
        let kept = if self.resume && path.join(checkpoint::FILE).exists() {
            &[][..]
        } else {
            &kept[..]
        };
        OutputDir::create(path, kept, self.shown.force)
            .map_err(|error| match error {
                proxsplit_io::Error::Exists { path } if self.resume => anyhow::anyhow!(
                    "{} already exists, and there is no checkpoint to go on from; --force starts anew, --out chooses another folder",
                    path.display()
                ),
                proxsplit_io::Error::Exists { path } => anyhow::anyhow!(
                    "{} already exists; --resume goes on from a checkpoint, --force starts anew, --out chooses another folder",
                    path.display()
                ),
                other => other.into(),
            })
    }

    fn check_shape(&self, input: &Input, image: Option<Image>) -> anyhow::Result<()> {
        let (features, samples) = input.shape();
        ensure!(
            self.rank <= samples,
            "--rank {} is not possible: it can be at most the number of samples, {samples}",
            self.rank
        );
        if let Some(image) = image {
            let pixels = image.rows * image.cols;
            ensure!(
                pixels == features,
                "--image {image} has {pixels} pixels, but a sample has {features} features"
            );
        }
        Ok(())
    }

    fn factorize<T: Scalar>(
        &self,
        settings: &proxsplit_factor::Settings,
        folder: &OutputDir,
        input: &Input,
        image: Option<Image>,
    ) -> anyhow::Result<Outcome> {
        let atoms = terms::join(self.x_penalty.as_ref(), self.x_set.as_ref())?;
        let codes = terms::join(self.a_penalty.as_ref(), self.a_set.as_ref())?;
        let data = input.data::<T>(self.scale)?;
        let problem = Problem::new(&data, self.rank, T::term(&atoms), T::term(&codes))?;
        let start = self.init.factors::<T>()?;
        let mut solver = Factorization::new(problem, *settings, start)?;
        let keeper = Keeper {
            path: folder.file(checkpoint::FILE),
            every: self.checkpoint_every,
            fit: Fit::new(self, input, (&atoms, &codes)),
        };
        let picked = solver.picked();
        if !self.shown.quiet {
            let missing = crate::missing::words(data.missing(), input.shape());
            let missing = missing.map_or_else(String::new, |words| format!(", {words}"));
            output::tell(&format!("{}: {}{missing}", self.data, input.describe()));
            output::tell(&format!("rank {}, {picked}", self.rank));
        }
        let interrupt = Interrupt::listen()?;
        let driven = drive::drive(&mut solver, self, &keeper, &interrupt)?;
        let warnings = solver.warnings();
        solver.polish();
        let finished = Finished {
            args: self,
            input,
            image,
            missing: data.missing(),
            picked,
            warnings,
            report: &driven.report,
            trace: &driven.trace,
            saved: driven.saved,
        };
        finished.write(folder, solver.factors())?;
        Ok(self.shown.outcome(driven.report.reason))
    }

    fn default_folder(&self) -> PathBuf {
        crate::args::default_folder(&self.data, &format!("rank{}", self.rank))
    }
}
