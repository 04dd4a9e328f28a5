//! `proxsplit rank`: which rank? From data to `rank.json` and a page.

mod checkpoint;
mod options;
mod result;
mod watch;

use crate::args::default_folder;
use crate::input::Input;
use crate::interrupt::Interrupt;
use crate::scalar::Scalar;
use crate::{Outcome, number, output, overwrite, terms};
use checkpoint::Keeper;
use proxsplit_factor::{Dtype, Problem, RankSearch, Searched};
use proxsplit_io::OutputDir;
use result::Finished;
use std::time::Instant;
use watch::Watch;

pub(crate) use options::Args;
pub(crate) use result::RankRecord;

impl Args {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let interrupt = Interrupt::listen()?;
        let folder = self.folder()?;
        if let Some(threads) = self.threads {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads.into())
                .build_global()?;
        }
        let input = Input::open(&self.data, self.samples, self.missing, &self.reading)?;
        match self.dtype {
            Dtype::F32 => self.search::<f32>(&input, &folder, &interrupt),
            Dtype::F64 => self.search::<f64>(&input, &folder, &interrupt),
        }
    }

    /// The output folder, if nothing in it would be lost.
    fn folder(&self) -> anyhow::Result<OutputDir> {
        let path = self.out.clone();
        let path = path.unwrap_or_else(|| default_folder(&self.data, "ranks"));
        let kept = [&result::FILES[..], &[checkpoint::FILE]].concat();
        overwrite::refuse(
            kept.iter().map(|name| path.join(name)),
            &[overwrite::file_of(&self.data)],
        )?;
        let resumes = self.resume && path.join(checkpoint::FILE).exists();
        let kept = if resumes { &[][..] } else { &kept[..] };
        let remedy = overwrite::with_checkpoint(self.resume);
        overwrite::folder(path, kept, self.force, remedy)
    }

    fn search<T: Scalar>(
        &self,
        input: &Input,
        folder: &OutputDir,
        interrupt: &Interrupt,
    ) -> anyhow::Result<Outcome> {
        let atoms = terms::join(self.x_penalty.as_ref(), self.x_set.as_ref())?;
        let codes = terms::join(self.a_penalty.as_ref(), self.a_set.as_ref())?;
        let data = input.data::<T>(self.scale)?;
        let problem = Problem::new(&data, 1, T::term(&atoms), T::term(&codes))?;
        let mut search = RankSearch::new(problem, self.plan())?;
        let missing = crate::missing::words(data.missing(), input.shape());
        let missing = missing.map_or_else(String::new, |words| format!(", {words}"));
        self.tell(&format!("{}: {}{missing}", self.data, input.describe()));
        let mut keeper = Keeper {
            path: folder.file(checkpoint::FILE),
            every: self.checkpoint_every,
            last: Instant::now(),
            digest: input.digest().to_owned(),
            description: self.description(),
        };
        if self.resume && keeper.restore(&mut search)? {
            self.tell(&format!(
                "resumed after {}",
                number::things(search.rows().len(), "rank")
            ));
        } else if keeper.path.exists() {
            std::fs::remove_file(&keeper.path)?;
        }
        if self.watched(&mut search, &mut keeper, interrupt)? == Searched::Interrupted {
            return Ok(Outcome::Interrupted);
        }
        let finished = Finished {
            args: self,
            input,
            missing: data.missing(),
            search: &search,
        };
        finished.write(folder, &mut keeper)?;
        Ok(Outcome::Done)
    }

    /// Makes the fits that are left.
    fn watched<T: Scalar>(
        &self,
        search: &mut RankSearch<'_, T>,
        keeper: &mut Keeper,
        interrupt: &Interrupt,
    ) -> anyhow::Result<Searched> {
        let mut watch = Watch::new(self.quiet || self.json, search);
        loop {
            match search.advance(&mut || interrupt.flow())? {
                Searched::Fitted(fit) => {
                    watch.fitted(&fit, search);
                    if let Err(error) = keeper.save_at_times(search) {
                        output::tell(&format!("warning: the checkpoint was not saved: {error:#}"));
                        keeper.last = Instant::now();
                    }
                }
                Searched::Interrupted => {
                    drop(watch);
                    keeper.save(search)?;
                    self.tell(&format!(
                        "interrupted: --resume continues from {}",
                        keeper.path.display()
                    ));
                    return Ok(Searched::Interrupted);
                }
                Searched::Done => return Ok(Searched::Done),
            }
        }
    }

    fn tell(&self, words: &str) {
        if !self.quiet {
            output::tell(words);
        }
    }
}
