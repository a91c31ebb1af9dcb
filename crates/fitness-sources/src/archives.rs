//! Recognises the files of other vendors' archives by name, so that an import can say what it did
//! not read.
//!
//! [`KNOWN_FILES`] is the only list. To support one of these files, remove its line here and add
//! its format to the importer.

fitness_core::string_enum! {
    /// Whose archive a file is from.
    pub enum Vendor("vendor") {
        AppleHealth = "apple_health",
        Fitbit = "fitbit",
        GoogleFit = "google_fit",
        Polar = "polar",
        Suunto = "suunto",
        Coros = "coros",
        Oura = "oura",
        Whoop = "whoop",
        Garmin = "garmin",
        Strava = "strava",
    }
}

impl Vendor {
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::AppleHealth => "Apple Health",
            Self::Fitbit => "Fitbit",
            Self::GoogleFit => "Google Fit",
            Self::Polar => "Polar",
            Self::Suunto => "Suunto",
            Self::Coros => "COROS",
            Self::Oura => "Oura",
            Self::Whoop => "WHOOP",
            Self::Garmin => "Garmin",
            Self::Strava => "Strava",
        }
    }

    /// The archive with its article, such as `an Apple Health export`.
    #[must_use]
    pub const fn archive(self) -> &'static str {
        match self {
            Self::AppleHealth => "an Apple Health export",
            Self::Fitbit => "a Google Takeout archive of Fitbit data",
            Self::GoogleFit => "a Google Takeout archive of Google Fit data",
            Self::Polar => "a Polar Flow export",
            Self::Suunto => "a Suunto export",
            Self::Coros => "a COROS export",
            Self::Oura => "an Oura export",
            Self::Whoop => "a WHOOP export",
            Self::Garmin => "a Garmin account export",
            Self::Strava => "a Strava export",
        }
    }
}

/// A kind of file that is recognised and not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownFile {
    pub vendor: Vendor,
    /// Its content as a plural, such as `sleep files`.
    pub content: &'static str,
    pattern: Pattern,
}

/// How a file is recognised. All in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pattern {
    Name(&'static str),
    /// Start and end of the file name.
    Affixes(&'static str, &'static str),
    /// A folder on the path, and the end of the file name.
    Folder(&'static str, &'static str),
    /// Part of a folder's or the file's name.
    Word(&'static str),
}

impl Pattern {
    fn matches(self, path: &str) -> bool {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        match self {
            Self::Name(known) => name == known,
            Self::Affixes(start, end) => {
                name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
            }
            Self::Folder(folder, end) => folders.split('/').any(|part| part == folder) && name.ends_with(end),
            Self::Word(word) => path.contains(word),
        }
    }
}

macro_rules! known_files {
    ($( [$vendor:ident] $( $pattern:ident($($text:literal),+) => $content:literal, )+ )+) => {
        &[ $( $( KnownFile { vendor: Vendor::$vendor, content: $content, pattern: Pattern::$pattern($($text),+) }, )+ )+ ]
    };
}

/// All files that are recognised. The first line that matches counts, so a vendor's general lines
/// come last.
pub const KNOWN_FILES: &[KnownFile] = known_files! {
    [AppleHealth]
        Name("export_cda.xml") => "clinical document files",
        Folder("electrocardiograms", ".csv") => "electrocardiograms",
        Folder("apple_health_export", ".xml") => "data files",
        Folder("apple_health_export", "") => "other files",
        Name("export.xml") => "data files",
    // The layout of Google Takeout, with one JSON or CSV file per kind and month.
    [Fitbit]
        Affixes("sleep-", ".json") => "sleep files",
        Affixes("heart_rate-", ".json") => "heart rate files",
        Affixes("resting_heart_rate-", ".json") => "resting heart rate files",
        Affixes("exercise-", ".json") => "exercise files",
        Affixes("steps-", ".json") => "step files",
        Affixes("daily heart rate variability", ".csv") => "heart rate variability files",
        Affixes("daily spo2", ".csv") => "blood oxygen files",
        Folder("physical activity_googledata", ".csv") => "activity files",
        Folder("fitbit", "") => "other files",
    [GoogleFit]
        Folder("daily activity metrics", ".csv") => "daily activity files",
        Folder("all sessions", ".json") => "activity files",
        Folder("all data", ".json") => "data files",
    [Polar]
        Affixes("training-session-", ".json") => "training files",
        Affixes("247ohr_", ".json") => "heart rate files",
        Affixes("sleep_", ".json") => "sleep files",
        Affixes("nightly_", ".json") => "nightly recovery files",
        Affixes("nightly-", ".json") => "nightly recovery files",
        Affixes("ppi_samples_", ".json") => "heart beat interval files",
        Affixes("activity-", ".json") => "daily activity files",
        Affixes("account-data-", ".json") => "account files",
        Affixes("account-profile-", ".json") => "account files",
        Affixes("sport-profiles-", ".json") => "sport profile files",
        Affixes("products-devices-", ".json") => "device files",
        Affixes("fitness-test", ".json") => "fitness test files",
        Affixes("calendar-items-", ".json") => "calendar files",
    [Oura]
        Name("sleepmodel.csv") => "sleep files",
        Name("dailysleep.csv") => "sleep score files",
        Name("dailyreadiness.csv") => "readiness files",
        Name("dailyactivity.csv") => "daily activity files",
        Name("dailyspo2.csv") => "blood oxygen files",
        Name("dailystress.csv") => "stress files",
        Name("daytimestress.csv") => "stress files",
        Affixes("oura_", ".csv") => "trend files",
        Affixes("oura_", ".json") => "data files",
        Folder("oura", "") => "other files",
    [Whoop]
        Name("physiological_cycles.csv") => "recovery files",
        Name("sleeps.csv") => "sleep files",
        Name("workouts.csv") => "workout files",
        Name("journal_entries.csv") => "journal files",
    [Garmin]
        Affixes("hydrationlogfile_", ".json") => "hydration files",
        Affixes("bloodpressurefile_", ".json") => "blood pressure files",
        Affixes("", "_gear.json") => "gear files",
        Affixes("", "_personalrecord.json") => "personal record files",
        Affixes("", "_fitnessagedata.json") => "fitness age files",
        Affixes("", "_abnormalhrevents.json") => "heart rate alert files",
        Affixes("menstrual", ".json") => "menstrual cycle files",
        Affixes("", "_workout.json") => "workout files",
        Affixes("", "_courses.json") => "course files",
        Folder("di_connect", "") => "other files",
        Folder("di-connect-fitness", "") => "other files",
        Folder("di-connect-wellness", "") => "other files",
        Folder("di-connect-user", "") => "other files",
    [Strava]
        Name("bikes.csv") => "gear files",
        Name("shoes.csv") => "gear files",
        Name("components.csv") => "gear files",
        Name("goals.csv") => "goal files",
        Name("routes.csv") => "route files",
        Name("segments.csv") => "segment files",
        Name("kudos_given.csv") => "social files",
        Name("followers.csv") => "social files",
        Folder("media", ".jpg") => "pictures",
    // Both export activities as FIT files, which are read; these are the other files beside them.
    [Suunto]
        Affixes("entry_", ".json") => "activity files",
        Affixes("samples_", ".json") => "activity files",
        Word("suunto") => "other files",
        Word("movescount") => "other files",
    [Coros]
        Word("coros") => "other files",
};

/// The kind of a file, by its path from [`walk`](crate::files::walk()); `None` if it is unknown.
#[must_use]
pub fn identify(path: &str) -> Option<&'static KnownFile> {
    let path = path.replace('\\', "/").to_lowercase();
    let path = path.strip_suffix(".gz").unwrap_or(&path);
    KNOWN_FILES.iter().find(|known| known.pattern.matches(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_every_vendor_are_recognised_by_name() {
        for (path, vendor, content) in [
            ("export.zip/apple_health_export/export.xml", Vendor::AppleHealth, "data files"),
            (
                "apple_health_export/electrocardiograms/ecg_2024-01-02.csv",
                Vendor::AppleHealth,
                "electrocardiograms",
            ),
            ("apple_health_export/Exportaci\u{f3}n.xml", Vendor::AppleHealth, "data files"),
            ("Takeout/Fitbit/Global Export Data/sleep-2024-01-01.json", Vendor::Fitbit, "sleep files"),
            ("Takeout/Fitbit/Your Profile/Profile.csv", Vendor::Fitbit, "other files"),
            ("Takeout/Fit/Daily activity metrics/2024-01-01.csv", Vendor::GoogleFit, "daily activity files"),
            ("polar.zip/training-session-2024-01-02-1234567-ab.json", Vendor::Polar, "training files"),
            ("polar/sleep_result_2024-ab.json", Vendor::Polar, "sleep files"),
            ("247ohr_2024_01-ab.json", Vendor::Polar, "heart rate files"),
            ("Suunto/entry_17.json.gz", Vendor::Suunto, "activity files"),
            ("COROS_export_2026/readme.txt", Vendor::Coros, "other files"),
            ("App Data\\dailyreadiness.csv", Vendor::Oura, "readiness files"),
            ("my_whoop_data/physiological_cycles.csv", Vendor::Whoop, "recovery files"),
            ("x/DI_CONNECT/DI-Connect-Fitness/ann_gear.json", Vendor::Garmin, "gear files"),
            ("x/DI_CONNECT/DI-Connect-User/GoalsFile.json", Vendor::Garmin, "other files"),
            ("export_1/shoes.csv", Vendor::Strava, "gear files"),
        ] {
            let found = identify(path).map(|known| (known.vendor, known.content));
            assert_eq!(found, Some((vendor, content)), "{path}");
        }
        for path in ["holiday.jpg", "notes.txt", "", "a/b/export.json", "sleep.csv"] {
            assert_eq!(identify(path), None, "{path}");
        }
        for vendor in Vendor::ALL {
            assert!(KNOWN_FILES.iter().any(|known| known.vendor == *vendor), "{vendor}");
        }
    }

    #[test]
    fn patterns_are_in_lower_case_as_paths_are() {
        for known in KNOWN_FILES {
            let texts = match known.pattern {
                Pattern::Name(a) | Pattern::Word(a) => [a, ""],
                Pattern::Affixes(a, b) | Pattern::Folder(a, b) => [a, b],
            };
            assert!(texts.iter().all(|text| *text == text.to_lowercase()), "{known:?}");
        }
    }
}
