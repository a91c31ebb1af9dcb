//! The list of activities, page by page, and the files behind them.
//!
//! A triathlon is in the list as a whole, and sometimes its legs are too; its file holds the legs. Told as a whole
//! beside its legs it would count twice. So the whole is told only when Garmin says for good that it has no file and
//! the legs are not listed. When the file just could not be had now, nothing is told, the list does not count as
//! complete, and the next visit asks again.

use super::activities::{Listed, legs};
use super::{Garmin, paths};
use crate::live::error::{Content, Fault, Halt, Problem};
use crate::live::fetch::Telling;
use crate::live::http::Answer;
use crate::live::{Heard, Listener, json};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::source_record::{ReportKey, Told};
use paths::{Fill, PAGE};
use std::collections::BTreeSet;

/// More pages than anybody has activities.
const MOST_PAGES: usize = 2000;
/// So many activities in a row without a file anywhere, and files are not offered.
const MOST_WITHOUT_FILE: usize = 3;

/// What became of asking for a file.
enum File {
    Got(Vec<u8>),
    /// Garmin has none.
    None,
}

impl Garmin {
    /// Tells the list, then the files that are wanted.
    pub(super) async fn activities<L: Listener>(
        &mut self,
        telling: &mut Telling<'_, L>,
    ) -> Result<(), Fault> {
        let name = paths::ACTIVITIES.name;
        if let Some(reason) = telling.reason_to_skip() {
            telling.lost(name, reason);
            return Ok(());
        }
        let (mut list, mut unreadable) = (Vec::new(), 0);
        let read = self.pages(&mut list, &mut unreadable, telling).await;
        let whole = read.is_ok() && unreadable == 0;
        let legs = legs(&list);
        let (mut files, mut wholes_waiting) = (Vec::new(), Vec::new());
        let mut went = Ok(());
        for one in &list {
            let key = &one.report.key;
            let wanted =
                !one.typed_in && one.leg_of.is_none() && !legs.contains(&key.id) && telling.wants_file(key);
            if one.whole_of && !one.typed_in {
                if wanted {
                    wholes_waiting.push(one.clone());
                }
                continue;
            }
            went = telling
                .hear(Heard::Told(Told::Activity(Box::new(one.report.clone()))), one.recorded_at)
                .await;
            if went.is_err() {
                break;
            }
            if wanted {
                files.push(key.clone());
            }
        }
        telling.activities_complete = whole && went.is_ok();
        if unreadable > 0 {
            telling.lost(name, Problem::Unreadable { count: unreadable });
        }
        telling.note(name, read.and(went))?;
        self.files(&list, wholes_waiting, files, telling).await
    }

    /// Reads the list to its end, newest first. A sync in between shifts the pages, so what was seen is left out.
    async fn pages<L: Listener>(
        &mut self,
        list: &mut Vec<Listed>,
        unreadable: &mut usize,
        telling: &mut Telling<'_, L>,
    ) -> Result<(), Halt> {
        let (mut seen, mut start) = (BTreeSet::new(), 0);
        let days = Fill::days(telling.span.from, telling.span.through);
        if telling.span.from > telling.span.through {
            return Ok(());
        }
        for _ in 0..MOST_PAGES {
            let page = self.read(&paths::ACTIVITIES, &Fill { start, ..days }).await?;
            let entries = page.as_ref().map_or(Some(&[][..]), json::entries).ok_or(Problem::OtherShape)?;
            let before = seen.len();
            for entry in entries {
                match Listed::read(entry, self.zone) {
                    Some(listed) if seen.insert(listed.report.key.clone()) => list.push(listed),
                    Some(_) => {}
                    None => *unreadable += 1,
                }
            }
            telling.progress(paths::ACTIVITIES.name, list.len(), None);
            if entries.len() < PAGE {
                return Ok(());
            }
            // A full page of what was seen before: the service does not turn pages.
            if seen.len() == before && *unreadable == 0 {
                return Err(Problem::OtherShape.into());
            }
            start += entries.len();
        }
        Err(Problem::OtherShape.into())
    }

    async fn files<L: Listener>(
        &mut self,
        list: &[Listed],
        wholes: Vec<Listed>,
        files: Vec<ReportKey>,
        telling: &mut Telling<'_, L>,
    ) -> Result<(), Fault> {
        let name = paths::FILES.name;
        let all = wholes.len() + files.len();
        // Triathlons first: the list is not complete without them.
        let mut wanted: Vec<(ReportKey, Option<Listed>)> =
            wholes.into_iter().map(|one| (one.report.key.clone(), Some(one))).collect();
        wanted.extend(files.into_iter().map(|key| (key, None)));
        let (mut to_tell, mut without, mut unanswered) = (None, 0, 0);
        for (done, (key, whole)) in wanted.into_iter().enumerate() {
            let offered = self.found_at.contains_key(name) || without < MOST_WITHOUT_FILE;
            let file = if let Some(reason) = telling.reason_to_skip() {
                Err(reason.into())
            } else if unanswered >= 2 {
                Err(Problem::NotAsked.into())
            } else if offered {
                self.file(&key.id, telling.span.from).await
            } else {
                Ok(File::None)
            };
            match file {
                Ok(File::Got(bytes)) => {
                    (without, unanswered) = (0, 0);
                    let recorded_at = whole.and_then(|one| one.recorded_at);
                    let heard = Heard::file(key, bytes);
                    if let Err(halt) = telling.hear(heard, recorded_at).await {
                        telling.note(name, Err(halt))?;
                        to_tell = None;
                    }
                }
                Ok(File::None) => {
                    without += 1;
                    to_tell = Some(Problem::or_passing(to_tell.take(), Problem::Status(404)));
                    if let Some(one) = whole.filter(|one| !one.legs_are_listed(list)) {
                        let told = Heard::Told(Told::Activity(Box::new(one.report)));
                        if let Err(halt) = telling.hear(told, one.recorded_at).await {
                            telling.activities_complete = false;
                            telling.note(name, Err(halt))?;
                        }
                    }
                }
                Err(Halt::Failed(fault)) => return Err(fault),
                Err(Halt::Stopped) => telling.note(name, Err(Halt::Stopped))?,
                Err(Halt::Lost(problem)) => {
                    unanswered = if problem.passes() { unanswered + 1 } else { unanswered };
                    if whole.is_some_and(|one| !one.legs_are_listed(list)) {
                        telling.activities_complete = false;
                    }
                    if problem != Problem::Stopped {
                        to_tell = Some(Problem::or_passing(to_tell.take(), problem));
                    }
                }
            }
            telling.progress(name, done + 1, Some(all));
        }
        if let Some(problem) = to_tell {
            telling.lost(name, problem);
        }
        Ok(())
    }

    /// Asks for a file wherever it may be.
    async fn file(&mut self, id: &str, day: Day) -> Result<File, Halt> {
        let fill = Fill::activity(id, day);
        for index in self.candidates(&paths::FILES) {
            match self.get_bytes(&fill.path(paths::FILES.paths[index])).await? {
                Answer::Got(bytes) if Content::of(&bytes) == Content::Html => {
                    return Err(Problem::NotAFile(Content::Html).into());
                }
                Answer::Got(bytes) => {
                    self.found_at.insert(paths::FILES.name, index);
                    return Ok(File::Got(bytes));
                }
                Answer::Refused(404) => {}
                Answer::Empty => return Ok(File::None),
                Answer::Refused(status) => return Err(Problem::Status(status).into()),
            }
        }
        Ok(File::None)
    }
}
