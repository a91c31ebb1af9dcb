//! Fetches the activity list page by page, and the original files.
//!
//! A triathlon is in the list as a whole, sometimes also its legs; its file contains the legs. To
//! avoid counting it twice, the whole is passed on only if Garmin has no file and the legs are not
//! listed. If the file is temporarily unavailable, nothing is passed on, the list counts as
//! incomplete, and the next sync tries again.

use super::parse_activities::{ActivityEntry, legs};
use super::{Garmin, paths};
use crate::live::error::{DatasetError, DatasetInterruption, FetchError, UnexpectedContent};
use crate::live::fetch_state::FetchContext;
use crate::live::http::HttpResponse;
use crate::live::{FetchListener, FetchedItem, json};
use fitness_core::domain::calendar::Day;
use fitness_core::domain::source_record::{ImportedRecord, RecordKey};
use paths::{GarminPathValues, PAGE_SIZE};
use std::collections::BTreeSet;

const MAX_PAGES: usize = 2000;
/// After this many activities in a row without a file, we assume that files are not offered.
const MAX_WITHOUT_FILE: usize = 3;

enum FileResponse {
    Bytes(Vec<u8>),
    None,
}

impl Garmin {
    /// Fetches the list, then the wanted files.
    pub(super) async fn fetch_activities<L: FetchListener>(
        &mut self,
        telling: &mut FetchContext<'_, L>,
    ) -> Result<(), FetchError> {
        let name = paths::ACTIVITIES.name;
        if let Some(reason) = telling.reason_to_skip() {
            telling.add_missing(name, reason);
            return Ok(());
        }
        let (mut list, mut unreadable) = (Vec::new(), 0);
        let read = self.fetch_pages(&mut list, &mut unreadable, telling).await;
        let whole = read.is_ok() && unreadable == 0;
        let legs = legs(&list);
        let (mut files, mut wholes_waiting) = (Vec::new(), Vec::new());
        let mut went = Ok(());
        for one in &list {
            let key = &one.report.key;
            let wanted =
                !one.is_manual && one.leg_of.is_none() && !legs.contains(&key.id) && telling.wants_file(key);
            if one.is_multisport && !one.is_manual {
                if wanted {
                    wholes_waiting.push(one.clone());
                }
                continue;
            }
            went = telling
                .emit(
                    FetchedItem::Record(ImportedRecord::Activity(Box::new(one.report.clone()))),
                    one.recorded_at,
                )
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
            telling.add_missing(name, DatasetError::Unreadable { count: unreadable });
        }
        telling.record_outcome(name, read.and(went))?;
        self.fetch_files(&list, wholes_waiting, files, telling).await
    }

    /// Reads all pages, newest first. An upload meanwhile shifts the pages, so duplicates are
    /// ignored.
    async fn fetch_pages<L: FetchListener>(
        &mut self,
        list: &mut Vec<ActivityEntry>,
        unreadable: &mut usize,
        telling: &mut FetchContext<'_, L>,
    ) -> Result<(), DatasetInterruption> {
        let (mut seen, mut start) = (BTreeSet::new(), 0);
        let days = GarminPathValues::for_days(telling.days.from, telling.days.through);
        if telling.days.from > telling.days.through {
            return Ok(());
        }
        for _ in 0..MAX_PAGES {
            let page = self.read_dataset(&paths::ACTIVITIES, &GarminPathValues { start, ..days }).await?;
            let entries =
                page.as_ref().map_or(Some(&[][..]), json::entries).ok_or(DatasetError::UnexpectedShape)?;
            let before = seen.len();
            for entry in entries {
                match ActivityEntry::parse(entry, self.zone) {
                    Some(listed) if seen.insert(listed.report.key.clone()) => list.push(listed),
                    Some(_) => {}
                    None => *unreadable += 1,
                }
            }
            telling.progress(paths::ACTIVITIES.name, list.len(), None);
            if entries.len() < PAGE_SIZE {
                return Ok(());
            }
            // A full page of known entries: the service ignores the page parameter.
            if seen.len() == before && *unreadable == 0 {
                return Err(DatasetError::UnexpectedShape.into());
            }
            start += entries.len();
        }
        Err(DatasetError::UnexpectedShape.into())
    }

    async fn fetch_files<L: FetchListener>(
        &mut self,
        list: &[ActivityEntry],
        wholes: Vec<ActivityEntry>,
        files: Vec<RecordKey>,
        telling: &mut FetchContext<'_, L>,
    ) -> Result<(), FetchError> {
        let name = paths::FILES.name;
        let all = wholes.len() + files.len();
        // Triathlons first, because the list is incomplete without them.
        let mut wanted: Vec<(RecordKey, Option<ActivityEntry>)> =
            wholes.into_iter().map(|one| (one.report.key.clone(), Some(one))).collect();
        wanted.extend(files.into_iter().map(|key| (key, None)));
        let (mut to_tell, mut without, mut unanswered) = (None, 0, 0);
        for (done, (key, whole)) in wanted.into_iter().enumerate() {
            let offered = self.known_paths.contains_key(name) || without < MAX_WITHOUT_FILE;
            let file = if let Some(reason) = telling.reason_to_skip() {
                Err(reason.into())
            } else if unanswered >= 2 {
                Err(DatasetError::NotRequested.into())
            } else if offered {
                self.fetch_file(&key.id, telling.days.from).await
            } else {
                Ok(FileResponse::None)
            };
            match file {
                Ok(FileResponse::Bytes(bytes)) => {
                    (without, unanswered) = (0, 0);
                    let recorded_at = whole.and_then(|one| one.recorded_at);
                    let heard = FetchedItem::file(key, bytes);
                    if let Err(halt) = telling.emit(heard, recorded_at).await {
                        telling.record_outcome(name, Err(halt))?;
                        to_tell = None;
                    }
                }
                Ok(FileResponse::None) => {
                    without += 1;
                    to_tell = Some(DatasetError::prefer_transient(to_tell.take(), DatasetError::Status(404)));
                    if let Some(one) = whole.filter(|one| !one.legs_are_listed(list)) {
                        let told = FetchedItem::Record(ImportedRecord::Activity(Box::new(one.report)));
                        if let Err(halt) = telling.emit(told, one.recorded_at).await {
                            telling.activities_complete = false;
                            telling.record_outcome(name, Err(halt))?;
                        }
                    }
                }
                Err(DatasetInterruption::Fetch(fault)) => return Err(fault),
                Err(DatasetInterruption::Stopped) => {
                    telling.record_outcome(name, Err(DatasetInterruption::Stopped))?
                }
                Err(DatasetInterruption::Dataset(problem)) => {
                    unanswered = if problem.is_transient() { unanswered + 1 } else { unanswered };
                    if whole.is_some_and(|one| !one.legs_are_listed(list)) {
                        telling.activities_complete = false;
                    }
                    if problem != DatasetError::Stopped {
                        to_tell = Some(DatasetError::prefer_transient(to_tell.take(), problem));
                    }
                }
            }
            telling.progress(name, done + 1, Some(all));
        }
        if let Some(problem) = to_tell {
            telling.add_missing(name, problem);
        }
        Ok(())
    }

    /// Tries every known path.
    async fn fetch_file(&mut self, id: &str, day: Day) -> Result<FileResponse, DatasetInterruption> {
        let fill = GarminPathValues::for_activity(id, day);
        for index in self.candidate_paths(&paths::FILES) {
            match self.get_bytes(&fill.render(paths::FILES.paths[index])).await? {
                HttpResponse::Body(bytes) if UnexpectedContent::detect(&bytes) == UnexpectedContent::Html => {
                    return Err(DatasetError::NotAFile(UnexpectedContent::Html).into());
                }
                HttpResponse::Body(bytes) => {
                    self.known_paths.insert(paths::FILES.name, index);
                    return Ok(FileResponse::Bytes(bytes));
                }
                HttpResponse::Refused(404) => {}
                HttpResponse::Empty => return Ok(FileResponse::None),
                HttpResponse::Refused(status) => return Err(DatasetError::Status(status).into()),
            }
        }
        Ok(FileResponse::None)
    }
}
