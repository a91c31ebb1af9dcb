//! The demo athlete: a runner who does not exist, in files as a real account export has them.
//!
//! Everything follows from a seed and a last day: no clock, no map without an order. One build on one kind of machine
//! always gives the same bytes (sines and packed files may differ in a last bit elsewhere), and a longer demo ends
//! like a shorter one. Nothing in the rest of the crate knows about it: its files go the way of any other import.
//!
//! Start reading at [`Demo`]; `season.rs` says what is trained when, `physiology.rs` what it costs, `recording.rs` how it
//! went second by second, `fit_file.rs` and `export_json.rs` write it down.

mod activities_json;
mod export_json;
mod fit_file;
mod physiology;
mod plan_follower;
mod recording;
mod rng;
mod routes;
mod samples;
mod season;
mod watch_estimates;
mod wellness;
mod wellness_json;
mod workout_steps;

pub use plan_follower::Follows;

use activities_json::Row;
use chrono::Datelike;
use chrono_tz::Tz;
use fitness_core::domain::calendar::Day;
use physiology::Body;
use season::{Outing, Season};
use serde::Serialize;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::ops::RangeInclusive;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// The account's address. `.invalid` is nobody's, by standard.
const MAIL: &str = "demo@example.invalid";
/// The account's number.
const USER: i64 = 100_200_300;
/// Bytes of FIT files in one inner archive.
const PART_BYTES: u64 = 40 << 20;

/// Years whose days FIT files can tell, with room to spare.
const YEARS: RangeInclusive<i32> = 2000..=2100;

/// An athlete to show things with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demo {
    /// Whose life it is: another seed, another athlete.
    pub seed: u64,
    /// The day of the export. It is half over: there is a night, some steps and no training.
    pub ends: Day,
    /// How many weeks it goes back. 30 tell a whole season with two races; 522 are ten years.
    pub weeks: u32,
    /// Where the athlete lives, apart from a week of travel now and then.
    pub zone: Tz,
    /// A day in the week that seasons are counted back from: the last race was four weeks before it.
    pub counts_from: Day,
}

/// What an export came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Written {
    /// Activities, each a FIT file and a line in the list.
    pub activities: usize,
    /// Record messages in them.
    pub records: usize,
    /// Bytes of FIT files, before they were packed.
    pub fit_bytes: u64,
    /// Inner archives they were packed into.
    pub parts: usize,
}

impl Demo {
    /// A season of 30 weeks.
    #[must_use]
    pub const fn new(seed: u64, ends: Day, zone: Tz) -> Self {
        Self { seed, ends, weeks: 30, zone, counts_from: ends }
    }

    /// The first day there is anything about. There were no such watches before the year 2000.
    #[must_use]
    pub fn begins(&self) -> Day {
        let first = Day::new(*YEARS.start(), 1, 1).expect("every year has a first of January");
        self.ends.plus(1 - 7 * i64::from(self.weeks.max(1))).max(first)
    }

    /// Every file the watch uploaded, oldest first: its name and its bytes. Mostly activities; now and then settings,
    /// as in real exports.
    pub fn files(&self) -> impl Iterator<Item = io::Result<(String, Vec<u8>)>> {
        let demo = *self;
        self.uploads(&[]).map(move |upload| {
            let made = upload.make(&demo.season(&[]))?;
            Ok((made.name, made.bytes))
        })
    }

    /// Writes the account export, one ZIP. `progress` is told how many uploaded files of how many are done.
    ///
    /// # Errors
    /// When the writer or the temporary directory does.
    pub fn export(
        &self,
        writer: impl Write + Seek,
        progress: &mut dyn FnMut(usize, usize),
    ) -> io::Result<Written> {
        self.export_following(&[], writer, progress)
    }

    /// The same, of an athlete who follows a plan from the first of these workouts on.
    ///
    /// # Errors
    /// When the writer or the temporary directory does.
    pub fn export_following(
        &self,
        plan: &[Follows],
        writer: impl Write + Seek,
        progress: &mut dyn FnMut(usize, usize),
    ) -> io::Result<Written> {
        let season = self.season(plan);
        let mut archive = Archive { zip: ZipWriter::new(writer) };
        let (mut written, mut rows) = (Written::default(), Vec::new());
        let total = self.uploads(plan).count();
        let mut part = Part::new()?;
        for (done, upload) in self.uploads(plan).enumerate() {
            let made = upload.make(&season)?;
            if part.bytes > 0 && part.bytes + made.bytes.len() as u64 > PART_BYTES {
                written.parts += 1;
                archive.part(std::mem::replace(&mut part, Part::new()?), written.parts)?;
            }
            part.add(&made.name, &made.bytes)?;
            if let Some(row) = made.row {
                written.activities += 1;
                written.records += made.records;
                written.fit_bytes += made.bytes.len() as u64;
                rows.push(row);
            }
            progress(done + 1, total);
        }
        written.parts += 1;
        archive.part(part, written.parts)?;
        export_json::activities(&mut archive, &rows)?;
        export_json::days(&mut archive, &season, self.begins())?;
        export_json::owner(&mut archive, &season)?;
        archive.zip.finish()?.flush()?;
        Ok(written)
    }

    const fn season<'a>(&self, follows: &'a [Follows]) -> Season<'a> {
        let Self { seed, ends, zone, counts_from, .. } = *self;
        Season { seed, ends, counts_from, zone, follows }
    }

    /// What was uploaded, in order, not made yet.
    fn uploads<'a>(&self, plan: &'a [Follows]) -> impl Iterator<Item = Upload> + use<'a> {
        let season = self.season(plan);
        let days = self.begins().through(self.ends).filter(|day| YEARS.contains(&day.date().year()));
        days.flat_map(move |day| {
            let settings = (day.date().day() == 1).then_some(Upload::Settings(day));
            let outings = season.on(day).into_iter().map(|outing| Upload::Activity(Box::new(outing)));
            settings.into_iter().chain(outings)
        })
    }
}

/// Something the watch uploaded.
enum Upload {
    Activity(Box<Outing>),
    Settings(Day),
}

struct Made {
    name: String,
    bytes: Vec<u8>,
    records: usize,
    row: Option<Row>,
}

impl Upload {
    fn make(self, season: &Season<'_>) -> io::Result<Made> {
        // Numbered by when it was uploaded, which is no other number the account knows it by.
        let name = |seconds: i64| format!("{MAIL}_{}.fit", 90_000_000_000 + seconds);
        match self {
            Self::Activity(outing) => {
                let body = Body::on(season, outing.day);
                let track = recording::record(&outing, &body);
                Ok(Made {
                    name: name(track.begins.timestamp()),
                    bytes: fit_file::activity(&track, &body)?,
                    records: track.points.len(),
                    row: Some(Row::new(&outing, &track, &body)),
                })
            }
            Self::Settings(day) => {
                let at = season.clock(day, 3 * 3600);
                let age = export_json::AGE - (season.ends.date().year() - day.date().year());
                let bytes = fit_file::settings(at, &Body::on(season, day), age.clamp(1, 120) as u8)?;
                Ok(Made { name: name(at.timestamp()), bytes, records: 0, row: None })
            }
        }
    }
}

/// The outer archive.
struct Archive<W: Write + Seek> {
    zip: ZipWriter<W>,
}

/// The same time for every entry: the same demo is the same bytes.
fn packed(method: CompressionMethod) -> SimpleFileOptions {
    let options = SimpleFileOptions::default().compression_method(method).unix_permissions(0o644);
    options.last_modified_time(DateTime::default())
}

impl<W: Write + Seek> Archive<W> {
    fn json(&mut self, path: &str, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
        self.zip.start_file(format!("DI_CONNECT/{path}"), packed(CompressionMethod::Deflated))?;
        let mut writer = BufWriter::new(&mut self.zip);
        serde_json::to_writer(&mut writer, value)?;
        writer.flush()
    }

    /// Takes an inner archive in. It is packed already.
    fn part(&mut self, part: Part, number: usize) -> io::Result<()> {
        let mut file = part.zip.finish()?.into_inner()?;
        file.seek(SeekFrom::Start(0))?;
        let path = format!("DI_CONNECT/DI-Connect-Uploaded-Files/UploadedFiles_0-_Part{number}.zip");
        self.zip.start_file(path, packed(CompressionMethod::Stored))?;
        io::copy(&mut file, &mut self.zip)?;
        Ok(())
    }
}

/// An inner archive while it is being filled, on disk: ten years do not belong into memory.
struct Part {
    zip: ZipWriter<BufWriter<std::fs::File>>,
    bytes: u64,
}

impl Part {
    fn new() -> io::Result<Self> {
        Ok(Self { zip: ZipWriter::new(BufWriter::new(tempfile::tempfile()?)), bytes: 0 })
    }

    fn add(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        // Fast rather than small: these are seconds and not megabytes to whoever waits for a demo.
        let options = packed(CompressionMethod::Deflated).compression_level(Some(1));
        self.zip.start_file(name, options)?;
        self.zip.write_all(bytes)?;
        self.bytes += bytes.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
