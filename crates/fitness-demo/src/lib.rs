//! The demo athlete: generates an account export of a fictional runner.
//!
//! Everything is derived from a seed and a last day. The same build on the same platform always
//! gives the same bytes (floating point and compression may differ elsewhere), and a longer demo
//! ends like a shorter one. The files are imported like any other export.
//!
//! Start at [`DemoAthlete`]. `season.rs` plans the training, `physiology.rs` models the body,
//! `recording.rs` simulates each activity second by second, `fit_file.rs` and `export_json.rs`
//! write the files.

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

pub use plan_follower::FollowedWorkout;

use activities_json::GarminActivityJson;
use chrono::Datelike;
use chrono_tz::Tz;
use fitness_core::domain::calendar::Day;
use physiology::Body;
use season::{DemoActivity, Season};
use serde::Serialize;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::ops::RangeInclusive;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// `.invalid` is reserved (RFC 2606).
const EMAIL: &str = "demo@example.invalid";
const USER_ID: i64 = 100_200_300;
/// Bytes of FIT files in one inner archive.
const MAX_PART_BYTES: u64 = 40 << 20;

/// Years that FIT timestamps cover.
const SUPPORTED_YEARS: RangeInclusive<i32> = 2000..=2100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DemoAthlete {
    /// Another seed gives another athlete.
    pub seed: u64,
    /// Day of the export, made at noon: it has sleep and some steps but no training.
    pub last_day: Day,
    /// Number of weeks. 30 are a season with two races; 522 are ten years.
    pub weeks: u32,
    /// Home time zone; some weeks are travel.
    pub zone: Tz,
    /// A day in the week that seasons are counted back from; the last race was four weeks earlier.
    pub season_anchor: Day,
}

/// Size of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExportSummary {
    /// Each has a FIT file and an entry in the list.
    pub activities: usize,
    pub records: usize,
    /// Uncompressed size of the FIT files in bytes.
    pub fit_bytes: u64,
    /// Number of inner archives.
    pub parts: usize,
}

impl DemoAthlete {
    /// A season of 30 weeks.
    #[must_use]
    pub const fn new(seed: u64, last_day: Day, zone: Tz) -> Self {
        Self { seed, last_day, weeks: 30, zone, season_anchor: last_day }
    }

    /// First day with data, not before 2000.
    #[must_use]
    pub fn first_day(&self) -> Day {
        let first = Day::new(*SUPPORTED_YEARS.start(), 1, 1).expect("every year has a first of January");
        self.last_day.plus_days(1 - 7 * i64::from(self.weeks.max(1))).max(first)
    }

    /// Names and bytes of all uploaded files, oldest first: activities and some settings files.
    pub fn files(&self) -> impl Iterator<Item = io::Result<(String, Vec<u8>)>> {
        let demo = *self;
        self.uploads(&[]).map(move |upload| {
            let made = upload.build(&demo.season(&[]))?;
            Ok((made.name, made.bytes))
        })
    }

    /// Writes the account export as a ZIP. `progress` gets the number of files done and in total.
    pub fn export(
        &self,
        writer: impl Write + Seek,
        progress: &mut dyn FnMut(usize, usize),
    ) -> io::Result<ExportSummary> {
        self.export_with_plan(&[], writer, progress)
    }

    /// The same for an athlete who follows a plan from its first workout on.
    pub fn export_with_plan(
        &self,
        plan: &[FollowedWorkout],
        writer: impl Write + Seek,
        progress: &mut dyn FnMut(usize, usize),
    ) -> io::Result<ExportSummary> {
        let season = self.season(plan);
        let mut archive = Archive { zip: ZipWriter::new(writer) };
        let (mut written, mut rows) = (ExportSummary::default(), Vec::new());
        let total = self.uploads(plan).count();
        let mut part = InnerArchive::new()?;
        for (done, upload) in self.uploads(plan).enumerate() {
            let made = upload.build(&season)?;
            if part.bytes > 0 && part.bytes + made.bytes.len() as u64 > MAX_PART_BYTES {
                written.parts += 1;
                archive.add_part(std::mem::replace(&mut part, InnerArchive::new()?), written.parts)?;
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
        archive.add_part(part, written.parts)?;
        export_json::write_activities(&mut archive, &rows)?;
        export_json::write_days(&mut archive, &season, self.first_day())?;
        export_json::write_profile(&mut archive, &season)?;
        archive.zip.finish()?.flush()?;
        Ok(written)
    }

    const fn season<'a>(&self, follows: &'a [FollowedWorkout]) -> Season<'a> {
        let Self { seed, last_day: ends, zone, season_anchor: counts_from, .. } = *self;
        Season { seed, last_day: ends, season_anchor: counts_from, zone, followed: follows }
    }

    /// Uploads in order, generated lazily.
    fn uploads<'a>(&self, plan: &'a [FollowedWorkout]) -> impl Iterator<Item = Upload> + use<'a> {
        let season = self.season(plan);
        let days = self
            .first_day()
            .through(self.last_day)
            .filter(|day| SUPPORTED_YEARS.contains(&day.date().year()));
        days.flat_map(move |day| {
            let settings = (day.date().day() == 1).then_some(Upload::Settings(day));
            let outings =
                season.activities_on(day).into_iter().map(|outing| Upload::Activity(Box::new(outing)));
            settings.into_iter().chain(outings)
        })
    }
}

enum Upload {
    Activity(Box<DemoActivity>),
    Settings(Day),
}

struct DemoFile {
    name: String,
    bytes: Vec<u8>,
    records: usize,
    row: Option<GarminActivityJson>,
}

impl Upload {
    fn build(self, season: &Season<'_>) -> io::Result<DemoFile> {
        // Numbered by upload time, unrelated to the activity id.
        let name = |seconds: i64| format!("{EMAIL}_{}.fit", 90_000_000_000 + seconds);
        match self {
            Self::Activity(outing) => {
                let body = Body::on_day(season, outing.day);
                let track = recording::record(&outing, &body);
                Ok(DemoFile {
                    name: name(track.started_at.timestamp()),
                    bytes: fit_file::activity(&track, &body)?,
                    records: track.points.len(),
                    row: Some(GarminActivityJson::new(&outing, &track, &body)),
                })
            }
            Self::Settings(day) => {
                let at = season.local_instant(day, 3 * 3600);
                let age = export_json::AGE - (season.last_day.date().year() - day.date().year());
                let bytes = fit_file::settings(at, &Body::on_day(season, day), age.clamp(1, 120) as u8)?;
                Ok(DemoFile { name: name(at.timestamp()), bytes, records: 0, row: None })
            }
        }
    }
}

struct Archive<W: Write + Seek> {
    zip: ZipWriter<W>,
}

/// A fixed time for every entry, so that exports are reproducible.
fn zip_options(method: CompressionMethod) -> SimpleFileOptions {
    let options = SimpleFileOptions::default().compression_method(method).unix_permissions(0o644);
    options.last_modified_time(DateTime::default())
}

impl<W: Write + Seek> Archive<W> {
    fn add_json(&mut self, path: &str, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
        self.zip.start_file(format!("DI_CONNECT/{path}"), zip_options(CompressionMethod::Deflated))?;
        let mut writer = BufWriter::new(&mut self.zip);
        serde_json::to_writer(&mut writer, value)?;
        writer.flush()
    }

    /// Adds an inner archive, stored without compression.
    fn add_part(&mut self, part: InnerArchive, number: usize) -> io::Result<()> {
        let mut file = part.zip.finish()?.into_inner()?;
        file.seek(SeekFrom::Start(0))?;
        let path = format!("DI_CONNECT/DI-Connect-Uploaded-Files/UploadedFiles_0-_Part{number}.zip");
        self.zip.start_file(path, zip_options(CompressionMethod::Stored))?;
        io::copy(&mut file, &mut self.zip)?;
        Ok(())
    }
}

/// An inner archive, written to disk because ten years are too large for memory.
struct InnerArchive {
    zip: ZipWriter<BufWriter<std::fs::File>>,
    bytes: u64,
}

impl InnerArchive {
    fn new() -> io::Result<Self> {
        Ok(Self { zip: ZipWriter::new(BufWriter::new(tempfile::tempfile()?)), bytes: 0 })
    }

    fn add(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        // Fast compression, because users wait for the demo.
        let options = zip_options(CompressionMethod::Deflated).compression_level(Some(1));
        self.zip.start_file(name, options)?;
        self.zip.write_all(bytes)?;
        self.bytes += bytes.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
