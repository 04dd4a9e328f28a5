//! The files of a search: `rank.json` and the page.

use super::Args;
use super::checkpoint::Keeper;
use crate::input::Input;
use crate::record::{DataRecord, Versions, command_line, object};
use crate::report::rank_page;
use crate::scalar::Scalar;
use crate::{number, output};
use anyhow::Context;
use proxsplit_factor::{Choice, RankRow, RankSearch};
use proxsplit_io::{OutputDir, write_bytes, write_json};
use serde::Serialize;
use serde_json::{Map, Value};

/// What a search may leave behind; where `rank.json` is, the result is whole.
pub(super) const FILES: [&str; 2] = ["rank.json", PAGE];
const PAGE: &str = "rank.html";

/// The version of the layout of `rank.json`.
const FORMAT: u32 = 1;

/// The content of `rank.json`.
#[derive(Debug, Serialize)]
pub(crate) struct RankRecord {
    pub(crate) format: u32,
    pub(crate) command: Vec<String>,
    /// `rank`, `least`, `turned`, `words` and `notes`.
    #[serde(flatten)]
    pub(crate) choice: Choice,
    pub(crate) table: Vec<RankRow>,
    /// Solving time of all fits.
    pub(crate) seconds: f64,
    pub(crate) data: DataRecord,
    /// Every setting by the name of its option, defaults included.
    pub(crate) settings: Map<String, Value>,
    pub(crate) versions: Versions,
}

/// Everything that is known when a search has ended.
pub(super) struct Finished<'a, T: Scalar> {
    pub(super) args: &'a Args,
    pub(super) input: &'a Input,
    pub(super) missing: usize,
    pub(super) search: &'a RankSearch<'a, T>,
}

impl<T: Scalar> Finished<'_, T> {
    /// Writes all files and tells the answer. While the error still falls, the checkpoint stays, so that ranks can be added.
    pub(super) fn write(&self, folder: &OutputDir, keeper: &mut Keeper) -> anyhow::Result<()> {
        let choice = self.search.choice().context("no rank was tried")?;
        let turned = choice.turned;
        let record = self.record(choice);
        if !turned {
            keeper.save(self.search)?;
        }
        let written = folder.replace(&FILES, |aside| -> anyhow::Result<()> {
            write_json(aside.file("rank.json"), &record)?;
            write_bytes(aside.file(PAGE), rank_page(&record)?)?;
            Ok(())
        });
        written.with_context(|| {
            format!(
                "the result could not be written to {}",
                folder.path().display()
            )
        })?;
        if turned && keeper.path.exists() {
            std::fs::remove_file(&keeper.path)?;
        }
        self.tell(folder, &record)
    }

    fn record(&self, choice: Choice) -> RankRecord {
        let (args, plan) = (self.args, self.search.plan());
        let mut settings = object(&args.description());
        for not_asked in [
            "rank", "method", "batch", "inner", "step", "order", "init", "time",
        ] {
            settings.remove(not_asked);
        }
        settings.extend(object(plan));
        settings.insert("ranks".into(), args.ranks.to_string().into());
        settings.insert("threads".into(), rayon::current_num_threads().into());
        let table = self.search.rows().to_vec();
        RankRecord {
            format: FORMAT,
            command: command_line(),
            choice,
            seconds: table.iter().map(|row| row.seconds).sum(),
            table,
            data: DataRecord {
                source: args.data.to_string(),
                features: self.input.shape().0,
                samples: self.input.shape().1,
                digest: self.input.digest().to_owned(),
                description: self.input.describe(),
                scale: args.scale,
                orientation: args.samples,
                missing: self.missing,
            },
            settings,
            versions: Versions::here(),
        }
    }

    fn tell(&self, folder: &OutputDir, record: &RankRecord) -> anyhow::Result<()> {
        if self.args.json {
            return output::print_json(record);
        }
        if self.args.quiet {
            return Ok(());
        }
        for note in &record.choice.notes {
            output::tell(&format!("note: {note}"));
        }
        let text = format!(
            "{}\n  fits     {} in {}\n  result   {}\n  page     {}",
            record.choice.words,
            record.table.iter().map(|row| row.fits).sum::<usize>(),
            number::duration(record.seconds),
            folder.path().display(),
            folder.file(PAGE).display()
        );
        Ok(output::print(&text)?)
    }
}
