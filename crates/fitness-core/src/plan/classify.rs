//! Classifies workouts by their steps and texts. The name is not decisive: eight fast repetitions
//! are intervals, whatever they are called.

use super::{Step, StepDuration, StepTarget, StepType, Workout, WorkoutKind, mentions_repetitions};
use crate::domain::units::Pace;
use crate::metrics::predict::TrainingPaces;

/// A quick step of at most this many seconds or metres is a stride.
const STRIDE_MAX: (f64, f64) = (30.0, 150.0);
/// A repeated fast step of at most this many seconds or metres is an interval; a longer one is
/// tempo.
const INTERVAL_MAX: (f64, f64) = (6.0 * 60.0, 1650.0);
/// Repeated steps of at most this many seconds or metres count as intervals even without a
/// description.
const UNLABELLED_INTERVAL_MAX: (f64, f64) = (8.0 * 60.0, 2000.0);
/// Minimum number of such steps.
const MIN_INTERVAL_REPS: usize = 3;
/// Running faster than this share of the easy pace is not easy.
const EASY_PACE_FACTOR: f64 = 0.93;

/// The athlete's easy pace, and training paces from a result.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct KnownPaces {
    pub(crate) easy: Option<Pace>,
    /// From a dated result.
    pub(crate) paces: Option<TrainingPaces>,
}

impl KnownPaces {
    /// Running faster than this is not easy. Seconds per kilometre.
    fn fastest_easy_pace(self) -> Option<f64> {
        let between = |paces: TrainingPaces| {
            f64::midpoint(paces.easy.1.seconds_per_km(), paces.marathon.seconds_per_km())
        };
        self.paces.map(between).or_else(|| Some(self.easy?.seconds_per_km() * EASY_PACE_FACTOR))
    }

    /// Running faster than this is interval pace. Seconds per kilometre.
    fn slowest_interval_pace(self) -> Option<f64> {
        let paces = self.paces?;
        Some(f64::midpoint(paces.threshold.seconds_per_km(), paces.interval.seconds_per_km()))
    }
}

/// Effort of one step.
#[derive(Debug, Clone, Copy, PartialEq)]
enum StepEffort {
    Easy,
    /// Hard, of this kind if it is stated.
    Hard(Option<WorkoutKind>),
    Unknown,
}

impl Workout {
    /// The kind of hard workout that the steps make, whatever its name; `None` if they are easy or
    /// unclear.
    pub(crate) fn kind_from_steps(&self, known: KnownPaces) -> Option<WorkoutKind> {
        let active = || self.steps.iter().enumerate().filter(|(_, step)| step.step_type == StepType::Active);
        let stretches: Vec<(usize, &Step, StepEffort)> = active()
            .filter(|(_, step)| !is_within(step, STRIDE_MAX))
            .map(|(at, step)| (at, step, self.step_effort(step, known)))
            .collect();
        let unsaid: Vec<usize> = (stretches.iter())
            .filter(|(_, step, feel)| {
                *feel == StepEffort::Unknown && is_within(step, UNLABELLED_INTERVAL_MAX)
            })
            .map(|(at, ..)| *at)
            .collect();
        // There is recovery between repetitions.
        let apart = unsaid.windows(2).filter(|pair| pair[1] - pair[0] > 1).count();
        let again = apart + 1 >= MIN_INTERVAL_REPS;
        let work = || {
            stretches.iter().filter(|(at, _, feel)| match feel {
                StepEffort::Easy => false,
                StepEffort::Hard(_) => true,
                StepEffort::Unknown => again && unsaid.contains(at),
            })
        };
        let count = work().count();
        let kind = |step: &Step, feel: StepEffort| match feel {
            StepEffort::Hard(Some(kind)) => kind,
            _ => match target_pace(step).zip(known.slowest_interval_pace()) {
                Some((pace, limit)) if pace < limit => WorkoutKind::Intervals,
                Some(_) => WorkoutKind::Tempo,
                None if count > 1 && is_within(step, INTERVAL_MAX) => WorkoutKind::Intervals,
                None => WorkoutKind::Tempo,
            },
        };
        work().map(|(_, step, feel)| kind(step, *feel)).max_by_key(|kind| hardness(*kind))
    }

    /// The kind used by the linter: the stated one, or a harder one if the steps show it.
    pub(crate) fn effective_kind(&self, known: KnownPaces) -> WorkoutKind {
        match self.kind {
            WorkoutKind::Easy | WorkoutKind::Recovery | WorkoutKind::Strides | WorkoutKind::Other => {
                self.kind_from_steps(known).unwrap_or(self.kind)
            }
            said => said,
        }
    }

    /// Whether it has fast steps that are not allowed with an injury, whatever its name.
    pub(crate) fn has_fast_steps(&self, known: KnownPaces) -> bool {
        let fast = |kind| matches!(kind, WorkoutKind::Intervals | WorkoutKind::Hills);
        self.kind != WorkoutKind::Race && (fast(self.kind) || self.kind_from_steps(known).is_some_and(fast))
    }

    fn step_effort(&self, step: &Step, known: KnownPaces) -> StepEffort {
        let said = [step.notes.as_deref(), self.intensity.as_deref()];
        let words =
            said.into_iter().flatten().map(effort_from_text).find(|feel| *feel != StepEffort::Unknown);
        let words = words.unwrap_or(StepEffort::Unknown);
        match target_pace(step).zip(known.fastest_easy_pace()) {
            Some((pace, limit)) if pace < limit => match words {
                StepEffort::Hard(_) => words,
                _ => StepEffort::Hard(None),
            },
            Some(_) if words == StepEffort::Unknown => StepEffort::Easy,
            _ => words,
        }
    }
}

/// Rank of a kind; the hardest part decides.
const fn hardness(kind: WorkoutKind) -> u8 {
    match kind {
        WorkoutKind::Intervals => 4,
        WorkoutKind::Hills => 3,
        WorkoutKind::RacePace => 2,
        WorkoutKind::Tempo => 1,
        _ => 0,
    }
}

fn is_within(step: &Step, (seconds, meters): (f64, f64)) -> bool {
    match step.duration {
        StepDuration::Time(time) => time <= seconds,
        StepDuration::Distance(far) => far <= meters,
        StepDuration::Calories(_) | StepDuration::Open => false,
    }
}

/// Middle of a step's target pace.
fn target_pace(step: &Step) -> Option<f64> {
    let StepTarget::Pace(range) = step.target else { return None };
    let both = [range.low, range.high];
    let count = both.iter().flatten().count();
    (count > 0).then(|| both.iter().flatten().sum::<f64>() / count as f64).filter(|pace| *pace > 0.0)
}

fn tokenize(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace("all-out", "allout").replace("all out", "allout");
    // `8 out of 10` reads like `8 of 10`.
    let text = text.replace("out of", "of");
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

const INTERVAL_WORDS: &[&str] = &[
    "interval",
    "intervals",
    "repeat",
    "repeats",
    "repetition",
    "repetitions",
    "rep",
    "reps",
    "vo2max",
    "vo2",
    "fartlek",
    "track",
    "speed",
    "speedwork",
    "sprint",
    "sprints",
    "yasso",
    "surge",
    "surges",
    "400s",
    "800s",
    "1000s",
];
const HILL_WORDS: &[&str] = &["hill", "hills", "uphill"];
const TEMPO_WORDS: &[&str] = &["tempo", "threshold", "cruise"];
const EASY_WORDS: &[&str] = &[
    "easy",
    "easily",
    "talk",
    "talking",
    "conversational",
    "comfortable",
    "comfortably",
    "relaxed",
    "gentle",
    "gently",
    "walk",
    "jog",
    "slow",
    "slowly",
    "z1",
    "z2",
    "recovery",
];
const HARD_WORDS: &[&str] = &["hard", "fast", "quick", "quickly", "strong", "allout", "z4", "z5"];
/// Words that count in a name but not in a note: `at an easy speed`, `on the track`.
const NAME_ONLY_WORDS: &[&str] =
    &["speed", "track", "repeat", "repeats", "rep", "reps", "repetition", "repetitions"];

/// Words that negate the next ones.
const NEGATIONS: &[&str] = &["not", "no", "never", "nothing", "without", "than"];

fn effort_from_text(text: &str) -> StepEffort {
    let words = tokenize(text);
    let meant: Vec<&str> = (words.iter().enumerate())
        .filter(|(at, _)| {
            let before = &words[at.saturating_sub(2)..*at];
            !before.iter().any(|word| NEGATIONS.contains(&word.as_str()))
        })
        .map(|(_, word)| word.as_str())
        .collect();
    let any = |wanted: &[&str]| meant.iter().any(|word| wanted.contains(word));
    let before = |first: &[&str], second: &[&str]| {
        meant.windows(2).any(|pair| first.contains(&pair[0]) && second.contains(&pair[1]))
    };
    let zone = |wanted: &[&str]| before(&["zone"], wanted);
    let of_ten = |wanted: &[&str]| before(&["rpe"], wanted) || before(wanted, &["of", "10"]);
    let plainly = |word: &&str| INTERVAL_WORDS.contains(word) && !NAME_ONLY_WORDS.contains(word);
    match () {
        () if any(HILL_WORDS) => StepEffort::Hard(Some(WorkoutKind::Hills)),
        () if before(&["3k", "5k", "10k", "mile"], &["pace", "effort"]) || meant.iter().any(plainly) => {
            StepEffort::Hard(Some(WorkoutKind::Intervals))
        }
        () if mentions_race_pace(&meant) => StepEffort::Hard(Some(WorkoutKind::RacePace)),
        () if any(TEMPO_WORDS) => StepEffort::Hard(Some(WorkoutKind::Tempo)),
        () if any(HARD_WORDS) || zone(&["4", "5"]) || of_ten(&["7", "8", "9"]) => StepEffort::Hard(None),
        () if any(EASY_WORDS) || zone(&["1", "2"]) || of_ten(&["1", "2", "3", "4"]) => StepEffort::Easy,
        () => StepEffort::Unknown,
    }
}

/// `race pace`, `marathon pace`, `the pace you want to race`.
fn mentions_race_pace(words: &[&str]) -> bool {
    let named = |pair: &[&str]| {
        matches!(pair[0], "race" | "goal" | "marathon" | "mp" | "hm") && matches!(pair[1], "pace" | "effort")
    };
    words.windows(2).any(named) || (words.contains(&"pace") && words.contains(&"race"))
}

/// The kind that a text clearly states. Never a race: a model must not set that.
pub(crate) fn kind_from_text(text: &str) -> Option<WorkoutKind> {
    let words = tokenize(text);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let any = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    let pair = |first: &[&str], second: &[&str]| {
        words.windows(2).any(|pair| first.contains(&pair[0]) && second.contains(&pair[1]))
    };
    // Rank of a kind; the hardest part decides.
    Some(match () {
        () if any(HILL_WORDS) => WorkoutKind::Hills,
        () if any(INTERVAL_WORDS) => WorkoutKind::Intervals,
        () if pair(&["race", "goal", "marathon"], &["pace"]) => WorkoutKind::RacePace,
        () if any(TEMPO_WORDS) => WorkoutKind::Tempo,
        () if any(&["strides"]) => WorkoutKind::Strides,
        () if pair(&["run", "jog"], &["walk"]) || pair(&["walk"], &["run", "jog"]) => WorkoutKind::Easy,
        () if has_repetition_pattern(text) => WorkoutKind::Intervals,
        () if any(&["long"]) => WorkoutKind::Long,
        () if any(&["recovery", "z1"]) || pair(&["zone"], &["1"]) => WorkoutKind::Recovery,
        () if any(&["easy", "z2"]) || pair(&["zone"], &["2"]) => WorkoutKind::Easy,
        () => return None,
    })
}

/// `8x400m`, `8 × 400 m`, `8 by 400`, `8 times 400`.
fn has_repetition_pattern(text: &str) -> bool {
    let plain = text.to_lowercase().replace(" by ", " x ").replace(" times ", " x ");
    mentions_repetitions(&plain)
}

#[cfg(test)]
mod tests;
