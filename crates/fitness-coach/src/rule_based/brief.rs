//! The daily brief of the built-in coach: fixed sentences chosen by rules from the facts.

use fitness_core::adherence::grade::Verdict;
use fitness_core::domain::observation::AbsenceReason;
use fitness_core::facts::{FactName, FactValue, FactWord, Facts, StaleCause};
use fitness_core::llm_output::brief::{Briefing, Metric, Tone};
use fitness_core::metrics::MissingReason;
use fitness_core::metrics::fitness::{FormBand, RampBand};
use fitness_core::metrics::recovery::RecoveryBand;
use fitness_core::metrics::recovery::illness::IllnessSignDuration;
use fitness_core::plan::WorkoutKind;
use std::collections::BTreeSet;

/// Writes a brief from any set of facts.
#[must_use]
pub fn brief(facts: &Facts) -> Briefing {
    let mut writer = BriefWriter { facts, sentences: Vec::new(), metrics: BTreeSet::new() };
    write_workout(&mut writer);
    write_last_verdict(&mut writer);
    write_absence(&mut writer);
    write_missing_data(&mut writer);
    write_recovery(&mut writer);
    write_sleep(&mut writer);
    write_load(&mut writer);
    write_question(&mut writer);
    write_race(&mut writer);
    write_closing(&mut writer);
    let tone =
        if writer.has_warning() || writer.metrics.is_empty() { Tone::Neutral } else { Tone::Encouraging };
    Briefing { metrics: writer.metrics.into_iter().collect(), tone, body: writer.sentences.join(" ") }
}

struct BriefWriter<'a> {
    facts: &'a Facts,
    sentences: Vec<String>,
    metrics: BTreeSet<Metric>,
}

impl BriefWriter<'_> {
    fn has_fact(&self, name: FactName) -> bool {
        self.facts.find(name.as_str()).is_some()
    }

    fn fact_word(&self, name: FactName) -> Option<FactWord> {
        match self.facts.find(name.as_str()).map(|fact| &fact.value) {
            Some(FactValue::Word(word)) => Some(*word),
            _ => None,
        }
    }

    fn fact_number(&self, name: FactName) -> Option<f64> {
        match self.facts.find(name.as_str()).map(|fact| &fact.value) {
            Some(FactValue::Number(number)) => Some(*number),
            Some(FactValue::Time(time)) => Some(time.ms() as f64 / 60_000.0),
            _ => None,
        }
    }

    /// Writes a sentence if all its facts are known, and returns whether it did.
    fn write(&mut self, sentence: &str) -> bool {
        let names: Vec<FactName> = fact_names(sentence);
        let whole =
            sentence.matches("{{").count() == names.len() && names.iter().all(|name| self.has_fact(*name));
        if whole {
            self.metrics.extend(names.into_iter().filter_map(Metric::from_fact));
            self.sentences.push(sentence.to_owned());
        }
        whole
    }

    /// Writes the first sentence whose facts are known.
    fn write_first(&mut self, sentences: &[&str]) -> bool {
        sentences.iter().any(|sentence| self.write(sentence))
    }

    fn verdict(&self, name: FactName) -> Option<Verdict> {
        match self.fact_word(name) {
            Some(FactWord::Verdict(verdict)) => Some(verdict),
            _ => None,
        }
    }

    fn is_kind(&self, kind: WorkoutKind) -> bool {
        self.fact_word(FactName::TodayWorkoutKind) == Some(FactWord::Kind(kind))
    }

    fn absence(&self) -> Option<AbsenceReason> {
        match self.fact_word(FactName::AbsenceToday) {
            Some(FactWord::Mark(mark)) => Some(mark),
            _ => None,
        }
    }

    fn has_low_recovery(&self) -> bool {
        self.fact_word(FactName::RecoveryBand) == Some(FactWord::Recovery(RecoveryBand::Low))
    }

    fn has_illness_signs(&self) -> bool {
        let signs = self.fact_word(FactName::SignsOfIllness);
        matches!(signs, Some(FactWord::Illness(IllnessSignDuration::OneDay | IllnessSignDuration::TwoDays)))
    }

    /// Whether the athlete reported feeling worse than average.
    fn feels_low(&self) -> bool {
        self.fact_number(FactName::RecoveryFromFeel).is_some_and(|added| added < 0.0)
    }

    fn has_warning(&self) -> bool {
        self.has_low_recovery()
            || self.has_illness_signs()
            || self.feels_low()
            || matches!(self.absence(), Some(AbsenceReason::Ill | AbsenceReason::Injured))
    }

    /// Whether the last graded day is the day before the brief.
    fn was_graded_yesterday(&self) -> bool {
        let fact = self.facts.find(FactName::LastGradedDay.as_str());
        fact.is_some_and(|fact| fact.value == FactValue::Day(fact.as_of.previous()))
    }

    fn gap(&self, name: FactName) -> Gap {
        match self.facts.missing_reason(name.as_str()) {
            Some(MissingReason::NotYet) => Gap::NotSynced,
            Some(MissingReason::TooFew { .. }) => Gap::TooLittle,
            _ => Gap::NotRecorded,
        }
    }
}

/// Why a metric has no data, as far as the brief tells them apart.
#[derive(Clone, Copy, PartialEq)]
enum Gap {
    NotSynced,
    TooLittle,
    NotRecorded,
}

/// The facts in a sentence.
fn fact_names(sentence: &str) -> Vec<FactName> {
    let ids = sentence.split("{{").skip(1).filter_map(|part| part.split_once("}}"));
    ids.filter_map(|(id, _)| id.parse().ok()).collect()
}

fn write_workout(writer: &mut BriefWriter<'_>) {
    if !writer.has_fact(FactName::PlanName) {
        return;
    }
    if !writer.has_fact(FactName::TodayWorkout) {
        writer.sentences.push("Nothing is planned for today.".to_owned());
        return;
    }
    match writer.verdict(FactName::TodayWorkoutVerdict) {
        Some(Verdict::Missed) if writer.absence().is_some() => writer.write(
            "You {{today_session_state}} today's {{today_session}}, but it doesn't count against you because you are \
             {{marked_today}}.",
        ),
        Some(Verdict::Hit | Verdict::Short | Verdict::Missed) => writer.write("You {{today_session_state}} today's {{today_session}}."),
        Some(Verdict::Rest | Verdict::Pending) if writer.is_kind(WorkoutKind::Rest) => {
            writer.write("Today is a {{today_session_kind}} day.")
        }
        Some(Verdict::Rest) => {
            writer.write("Your plan for today is {{today_session}}: a {{today_session_state}} day.")
        }
        Some(Verdict::NotStarted) => {
            writer.write("Today's workout is {{today_session}}, but your plan has {{today_session_state}} yet.")
        }
        // The name of a race contains its distance.
        Some(Verdict::Pending) if writer.is_kind(WorkoutKind::Race) => {
            writer.write("Race day: {{today_session}}. The race is still {{today_session_state}}.")
        }
        Some(Verdict::Pending) => writer.write_first(&[
            "{{today_session}} today, {{today_session_distance}}. Today's workout is still {{today_session_state}}.",
            "{{today_session}} today, {{today_session_time}}. Today's workout is still {{today_session_state}}.",
            "{{today_session}} today. Today's workout is still {{today_session_state}}.",
        ]),
        None => writer.write("{{today_session}} today."),
    };
}

fn write_last_verdict(writer: &mut BriefWriter<'_>) {
    if !writer.has_fact(FactName::PlanName) {
        return;
    }
    let workout = match writer.was_graded_yesterday() {
        true => "yesterday's {{last_judged_session}}",
        false => "the {{last_judged_session}} on {{last_judged_day}}",
    };
    let end = match writer.verdict(FactName::LastVerdict) {
        Some(Verdict::Missed) => " There is no need to make it up.",
        _ => "",
    };
    writer.write_first(&[
        &format!("You {{{{last_verdict}}}} {workout}.{end}"),
        &format!("You {{{{last_verdict}}}} your last workout.{end}"),
    ]);
    writer.write("You were {{last_excuse}} then, so it doesn't count against you.");
}

fn write_absence(writer: &mut BriefWriter<'_>) {
    let _ = match writer.absence() {
        Some(AbsenceReason::Ill) => {
            writer.write("You marked yourself as {{marked_today}} today: getting well comes first.")
        }
        Some(AbsenceReason::Injured) => {
            writer.write("You marked yourself as {{marked_today}} today: healing comes first.")
        }
        Some(AbsenceReason::Away) => {
            writer.write("You marked yourself as {{marked_today}} today, so training can wait.")
        }
        None if writer.feels_low() => {
            writer.write("You said that you do not feel well today, which counts more than any measurement.")
        }
        None => false,
    };
    writer.write("You still need to decide on {{proposal_waiting}}.");
}

/// One sentence for all metrics that are missing for the same reason.
fn write_missing_data(writer: &mut BriefWriter<'_>) {
    let missing: Vec<(&str, Gap)> = [
        (Metric::Sleep, FactName::SleepLastNight),
        (Metric::Recovery, FactName::Recovery),
        (Metric::TrainingLoad, FactName::Form),
    ]
    .into_iter()
    .filter(|(metric, _)| metric.is_missing(writer.facts))
    .map(|(metric, fact)| (metric.label(), writer.gap(fact)))
    .collect();
    for gap in [Gap::NotSynced, Gap::TooLittle, Gap::NotRecorded] {
        let labels: Vec<&str> =
            missing.iter().filter(|(_, reason)| *reason == gap).map(|(label, _)| *label).collect();
        let list = match labels.as_slice() {
            [] => continue,
            [one] => (*one).to_owned(),
            [first @ .., last] => format!("{} or {last}", first.join(", ")),
        };
        writer.sentences.push(match gap {
            Gap::NotSynced => format!("There is no {list} data yet today."),
            Gap::TooLittle => format!("There is not enough {list} data yet."),
            Gap::NotRecorded => format!("There is no {list} data today."),
        });
    }
}

/// What raises or lowers recovery, as the start of a sentence and within one. With "raised" as the
/// verb, "resting heart rate raised" would read as a raised heart rate.
const RECOVERY_FACTORS: [(FactName, &str, &str); 5] = [
    (FactName::RecoveryFromHrv, "Your HRV", "your HRV"),
    (FactName::RecoveryFromRestingHeartRate, "Your resting heart rate", "your resting heart rate"),
    (FactName::RecoveryFromSleep, "Your sleep", "your sleep"),
    (FactName::RecoveryFromFeel, "How you feel", "how you feel"),
    (FactName::RecoveryFromForm, "Your recent training", "your recent training"),
];

/// Smaller contributions, in standard deviations, are not mentioned.
const MIN_CONTRIBUTION: f64 = 0.1;

fn write_recovery(writer: &mut BriefWriter<'_>) {
    if !Metric::Recovery.is_missing(writer.facts) {
        writer.write_first(&[
            "Recovery is {{recovery}} this morning ({{recovery_band}}).",
            "Recovery is {{recovery}} this morning.",
        ]);
        let parts: Vec<(f64, &str, &str)> = RECOVERY_FACTORS
            .iter()
            .filter_map(|(name, start, within)| Some((writer.fact_number(*name)?, *start, *within)))
            .filter(|(added, ..)| added.abs() >= MIN_CONTRIBUTION)
            .collect();
        let up = parts.iter().filter(|(added, ..)| *added > 0.0).max_by(|a, b| a.0.total_cmp(&b.0));
        let down = parts.iter().filter(|(added, ..)| *added < 0.0).min_by(|a, b| a.0.total_cmp(&b.0));
        let words = match (up, down) {
            (Some((_, up, _)), Some((_, _, down))) => {
                Some(format!("{up} helped your recovery the most; {down} lowered it the most."))
            }
            (Some((_, up, _)), None) => Some(format!("{up} helped your recovery the most.")),
            (None, Some((_, down, _))) => Some(format!("{down} lowered your recovery the most.")),
            (None, None) => None,
        };
        writer.sentences.extend(words);
    }
    let beats = writer.fact_number(FactName::RestingHeartRateFromUsual);
    if beats.is_some_and(|beats| beats.abs() >= 3.0) {
        writer.write(
            "Your resting heart rate is {{resting_heart_rate}} (usually {{resting_heart_rate_usual}}).",
        );
    }
}

fn write_sleep(writer: &mut BriefWriter<'_>) {
    if Metric::Sleep.is_missing(writer.facts) {
        return;
    }
    let _ = match writer.fact_number(FactName::SleepFromUsual) {
        Some(minutes) if minutes >= 30.0 => writer.write_first(&[
            "You slept {{sleep_last_night}}, more than your usual {{sleep_usual}}.",
            "You slept {{sleep_last_night}}, more than usual.",
        ]),
        Some(minutes) if minutes <= -30.0 => writer.write_first(&[
            "You slept {{sleep_last_night}}, less than your usual {{sleep_usual}}.",
            "You slept {{sleep_last_night}}, less than usual.",
        ]),
        Some(_) => writer.write("You slept {{sleep_last_night}}, about as usual."),
        None => writer.write("You slept {{sleep_last_night}}."),
    };
    // Six hours in two weeks is about half an hour a night.
    if writer.fact_number(FactName::SleepDebt14Days).is_some_and(|minutes| minutes >= 360.0) {
        writer.write("Your recent sleep debt is {{sleep_debt_14_days}}.");
    }
}

fn write_load(writer: &mut BriefWriter<'_>) {
    if Metric::TrainingLoad.is_missing(writer.facts) {
        return;
    }
    // A stale form comes without advice, and in the past tense if its data is old.
    match writer.facts.stale_cause(FactName::Form) {
        Some(StaleCause::Data) => {
            writer.write_first(&[
                "On the last day with data, form was {{form}} ({{form_band}}).",
                "On the last day with data, form was {{form}}.",
            ]);
            return;
        }
        Some(StaleCause::Threshold) => {
            writer.write_first(&[
                "Form is about {{form}} ({{form_band}}), but it may be off: the threshold behind it is old.",
                "Form is about {{form}}, but it may be off: the threshold behind it is old.",
            ]);
            return;
        }
        None => {}
    }
    let _ = match writer.fact_word(FactName::FormBand) {
        Some(FactWord::Form(FormBand::HighStrain)) => {
            writer.write("Form is {{form}} ({{form_band}}): you are carrying a lot of fatigue.")
        }
        Some(FactWord::Form(FormBand::Productive)) => writer
            .write("Form is {{form}} ({{form_band}}): you are tired from training, which builds fitness."),
        Some(FactWord::Form(FormBand::Neutral)) => {
            writer.write("Form is {{form}} ({{form_band}}): training and recovery are in balance.")
        }
        Some(FactWord::Form(FormBand::Fresh)) => {
            writer.write("Form is {{form}} ({{form_band}}): you are rested and ready to train.")
        }
        Some(FactWord::Form(FormBand::Transition)) => writer.write(
            "Form is {{form}} ({{form_band}}): you have rested so long that fitness is starting to fade.",
        ),
        _ => writer.write_first(&[
            "Form (fitness minus fatigue) is {{form}}.",
            "Yesterday's training load was {{load_yesterday}}.",
        ]),
    };
    match writer.fact_word(FactName::RampBand) {
        Some(FactWord::Ramp(RampBand::Steep)) => {
            writer.write("Your fitness is rising fast, so keep the easy days easy.");
        }
        Some(FactWord::Ramp(RampBand::Hard)) => {
            writer.write("Your fitness is rising at a rate that is hard to sustain.");
        }
        _ => {}
    }
    if writer.fact_number(FactName::Runs7Days) == Some(0.0) {
        writer.write("You didn't run in the last week.");
        return;
    }
    writer.write_first(&[
        "Over the last week you ran {{distance_7_days}} in {{runs_7_days}}.",
        "Your training load over the last week was {{load_7_days}}.",
    ]);
}

/// Device data alone leads to a question, unless the athlete has reported an absence.
fn write_question(writer: &mut BriefWriter<'_>) {
    let said_how_they_feel = writer.has_fact(FactName::RecoveryFromFeel);
    let asks = writer.has_illness_signs() || (writer.has_low_recovery() && !said_how_they_feel);
    if writer.absence().is_some() || !asks {
        return;
    }
    let hard = match writer.fact_word(FactName::TodayWorkoutKind) {
        Some(FactWord::Kind(kind)) => {
            kind.is_quality() || matches!(kind, WorkoutKind::Long | WorkoutKind::Race)
        }
        _ => false,
    };
    let pending = writer.verdict(FactName::TodayWorkoutVerdict) == Some(Verdict::Pending);
    let question = if writer.has_illness_signs() {
        "Your device shows possible signs of illness: do you feel ill, or have a sore throat, fever or aches?"
    } else if hard && pending {
        "Your device shows low recovery: how do you feel about a hard workout today?"
    } else {
        "Your device shows low recovery: how do you feel today?"
    };
    writer.sentences.push(question.to_owned());
    writer.sentences.push("Log it in your check-in or tell me in chat.".to_owned());
}

fn write_race(writer: &mut BriefWriter<'_>) {
    if !writer.has_fact(FactName::PlanName) || writer.has_warning() {
        return;
    }
    match writer.fact_number(FactName::DaysToRace) {
        // The workout has said so already.
        Some(0.0) if writer.is_kind(WorkoutKind::Race) => {}
        Some(0.0) => {
            writer.write("Race day: {{goal_name}}.");
        }
        _ => {
            writer.write("{{goal_name}} in {{days_to_race}}.");
        }
    }
}

fn write_closing(writer: &mut BriefWriter<'_>) {
    let words = if writer.metrics.is_empty() {
        "Import or sync your data to see more here."
    } else if writer.has_warning() {
        return;
    } else {
        match writer.verdict(FactName::TodayWorkoutVerdict) {
            Some(Verdict::Pending) if writer.is_kind(WorkoutKind::Rest) => "Enjoy the rest.",
            Some(Verdict::Rest) => "Enjoy the rest.",
            Some(Verdict::Hit) => "Well done.",
            _ => return,
        }
    };
    writer.sentences.push(words.to_owned());
}
