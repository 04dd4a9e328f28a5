//! `proxsplit factorize`: Y ≈ XA, from data to files.

mod checkpoint;
mod notebook;
mod options;
mod restarts;
mod result;
mod start;

use crate::args::default_folder;
use crate::input::Input;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::record::TraceRow;
use crate::scalar::Scalar;
use crate::{Outcome, number, output, overwrite, read, terms};
use anyhow::{Context, ensure};
use checkpoint::Keeper;
use notebook::Notebook;
use proxsplit::{Reason, Report, Session};
use proxsplit_factor::{Description, Dtype, Factorization, Outliers, Problem, Samples};
use proxsplit_io::OutputDir;
use result::Finished;

pub(crate) use options::Args;

/// Entries that are listed if they are plainly wrong.
const LISTED: usize = 10;

impl Args {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        // Before any file is read: reading a file of weights or of a graph would begin the usual pool.
        if let Some(threads) = self.threads {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads.into())
                .build_global()?;
        }
        let description = self.description()?;
        let interrupt = Interrupt::listen()?;
        let folder = self.folder()?;
        let input = Input::open(&self.data, self.samples, self.missing, &self.reading)?;
        self.check_shape(&input)?;
        match self.dtype {
            Dtype::F32 => self.factorize::<f32>(description, &input, (&folder, &interrupt)),
            Dtype::F64 => self.factorize::<f64>(description, &input, (&folder, &interrupt)),
        }
    }

    /// The output folder, if nothing in it would be lost.
    fn folder(&self) -> anyhow::Result<OutputDir> {
        let path = self.out.clone();
        let path =
            path.unwrap_or_else(|| default_folder(&self.data, &format!("rank{}", self.rank)));
        let kept = [&result::FILES[..], &[checkpoint::FILE]].concat();
        let mut read = self.init.files();
        read.push(overwrite::file_of(&self.data));
        read.extend(self.fixed_x.clone());
        read.extend(self.weights.files());
        read.extend(self.graphs.files());
        overwrite::refuse(kept.iter().map(|name| path.join(name)), &read)?;
        let kept = if self.resume && path.join(checkpoint::FILE).exists() {
            &[][..]
        } else {
            &kept[..]
        };
        let remedy = overwrite::with_checkpoint(self.resume);
        overwrite::folder(path, kept, self.shown.force, remedy)
    }

    fn check_shape(&self, input: &Input) -> anyhow::Result<()> {
        let (features, _) = input.shape();
        if let Some(image) = self.image {
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
        description: Description,
        input: &Input,
        (folder, interrupt): (&OutputDir, &Interrupt),
    ) -> anyhow::Result<Outcome> {
        let atoms = terms::join(self.x_penalty.as_ref(), self.x_set.as_ref())?;
        let codes = terms::join(self.a_penalty.as_ref(), self.a_set.as_ref())?;
        let weights = self.weights.read(self.samples)?;
        let data = input.data::<T>(self.scale)?.with_weights(weights.of())?;
        let graphs = self.graphs.read()?;
        let fixed = self.fixed_x.as_deref().map(read::atoms).transpose()?;
        let mut problem = Problem::new(&data, self.rank, T::term(&atoms), T::term(&codes))?
            .with_loss(self.loss)?;
        problem = graphs.join(problem)?;
        if let (Some(fixed), Some(path)) = (&fixed, &self.fixed_x) {
            let refused = || format!("--fixed-x {}", path.display());
            problem = problem.with_fixed(fixed).with_context(refused)?;
        }
        let start = self.init.factors::<T>(self.rank)?;
        let missing = crate::missing::words(data.missing(), input.shape());
        let missing = missing.map_or_else(String::new, |words| format!(", {words}"));
        self.tell(&format!("{}: {}{missing}", self.data, input.describe()));
        let keeper = Keeper {
            path: folder.file(checkpoint::FILE),
            every: (self.restarts == 1).then_some(self.checkpoint_every),
            digest: input.digest().to_owned(),
            description,
        };
        let runs = self.runs(problem, start, (&keeper, interrupt))?;
        let Some(best) = runs.best() else {
            self.tell("interrupted before the first pass: nothing was written");
            return Ok(Outcome::Interrupted);
        };
        let finished = Finished {
            args: self,
            description: &keeper.description,
            input,
            missing: data.missing(),
            picked: best.picked.clone(),
            warnings: runs.warnings(),
            outliers: best.outliers.clone().map(|found| self.of_the_file(found)),
            report: &best.report,
            trace: &best.trace,
            saved: keeper.path.exists(),
            consensus: runs.consensus(self.consensus)?,
        };
        finished.write(folder, &best.factors)?;
        Ok(if interrupt.is_asked() && self.restarts > 1 {
            Outcome::Interrupted
        } else {
            self.shown.outcome(&best.report)
        })
    }

    /// With the rows and columns of the file, and its numbers.
    fn of_the_file(&self, mut found: Outliers) -> Outliers {
        for entry in &mut found.worst {
            if self.samples == Samples::Rows {
                std::mem::swap(&mut entry.row, &mut entry.column);
            }
            entry.value *= self.scale;
            entry.fit *= self.scale;
        }
        found
    }

    fn tell(&self, words: &str) {
        if !self.shown.quiet {
            output::tell(words);
        }
    }

    /// Runs from the start or from the checkpoint; the solver is left at the point that is returned.
    fn watched_run<T: Scalar>(
        &self,
        solver: &mut Factorization<'_, T>,
        keeper: &Keeper,
        interrupt: &Interrupt,
    ) -> anyhow::Result<(Report, Vec<TraceRow>)> {
        let stop = self.limits.stop();
        let resumed = if self.resume {
            keeper.restore(solver)?
        } else {
            None
        };
        let (session, zeros) = match resumed {
            None => {
                if keeper.path.exists() {
                    std::fs::remove_file(&keeper.path)?;
                }
                (Session::new(stop), Vec::new())
            }
            Some(position) => {
                let passes = number::short(position.session.progress.passes);
                self.tell(&format!("resumed at pass {passes}"));
                (Session::resume(stop, position.session), position.zeros)
            }
        };
        let mut notebook = Notebook::new(keeper, interrupt, zeros);
        let progress = Progress::new(self.shown.quiet || self.restarts > 1, &stop);
        let report = session.run(solver, (progress, &mut notebook));
        if report.reason == Reason::Interrupted && keeper.path.exists() {
            self.tell(&format!(
                "interrupted: result and checkpoint are saved; --resume continues from {}",
                keeper.path.display()
            ));
        }
        let trace = notebook.trace(&report.trace);
        Ok((report, trace))
    }
}
