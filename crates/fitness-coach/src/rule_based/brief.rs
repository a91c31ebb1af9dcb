//! A brief by rules. What differs between two mornings is in the facts; nothing is left to chance.

use fitness_core::adherence::grade::Verdict;
use fitness_core::domain::observation::AbsenceReason;
use fitness_core::facts::{FactName, FactValue, FactWord, Facts};
use fitness_core::llm_output::brief::{Briefing, Metric, Tone};
use fitness_core::metrics::fitness::{FormBand, RampBand};
use fitness_core::metrics::recovery::RecoveryBand;
use fitness_core::metrics::recovery::illness::IllnessSigns;
use fitness_core::metrics::{MissingReason, Quality};
use fitness_core::plan::WorkoutKind;
use std::collections::BTreeSet;

/// A brief of any facts, however few.
#[must_use]
pub fn brief(facts: &Facts) -> Briefing {
    let mut pen = BriefWriter { facts, sentences: Vec::new(), metrics: BTreeSet::new() };
    write_workout(&mut pen);
    write_last_verdict(&mut pen);
    write_absence(&mut pen);
    write_recovery(&mut pen);
    write_sleep(&mut pen);
    write_load(&mut pen);
    write_question(&mut pen);
    write_race(&mut pen);
    write_closing(&mut pen);
    let tone = if pen.has_warning() || pen.metrics.is_empty() { Tone::Neutral } else { Tone::Encouraging };
    Briefing { metrics: pen.metrics.into_iter().collect(), tone, body: pen.sentences.join(" ") }
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

    /// Writes a sentence when each of its facts is known.
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

    /// Writes the first of these whose facts are known.
    fn write_first(&mut self, sentences: &[&str]) -> bool {
        sentences.iter().any(|sentence| self.write(sentence))
    }

    fn verdict(&self, name: FactName) -> Option<Verdict> {
        match self.fact_word(name) {
            Some(FactWord::Verdict(verdict)) => Some(verdict),
            _ => None,
        }
    }

    /// Whether today's session is of a kind.
    fn is_kind(&self, kind: WorkoutKind) -> bool {
        self.fact_word(FactName::TodayWorkoutKind) == Some(FactWord::Kind(kind))
    }

    fn is_stale(&self, name: FactName) -> bool {
        self.facts.find(name.as_str()).is_some_and(|fact| fact.quality.has(Quality::Stale))
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
        matches!(signs, Some(FactWord::Illness(IllnessSigns::OneDay | IllnessSigns::TwoDays)))
    }

    /// Whether the athlete said that they feel worse than in the middle.
    fn feels_low(&self) -> bool {
        self.fact_number(FactName::RecoveryFromFeel).is_some_and(|added| added < 0.0)
    }

    fn has_warning(&self) -> bool {
        self.has_low_recovery()
            || self.has_illness_signs()
            || self.feels_low()
            || matches!(self.absence(), Some(AbsenceReason::Ill | AbsenceReason::Injured))
    }

    /// Why there is nothing on a metric, in words without a number.
    fn missing_reason(&self, name: FactName) -> &'static str {
        match self.facts.missing_reason(name.as_str()) {
            Some(MissingReason::NotYet) => "as none has arrived",
            Some(MissingReason::TooFew { .. }) => "as there is not enough of it to go by",
            Some(MissingReason::Patchy { .. } | MissingReason::CadenceLock { .. }) => {
                "as the recording is not good enough"
            }
            _ if name == FactName::SleepLastNight => "as none was recorded",
            _ => "as something it is made from is missing",
        }
    }
}

/// The facts a sentence names.
fn fact_names(sentence: &str) -> Vec<FactName> {
    let ids = sentence.split("{{").skip(1).filter_map(|part| part.split_once("}}"));
    ids.filter_map(|(id, _)| id.parse().ok()).collect()
}

fn write_workout(pen: &mut BriefWriter<'_>) {
    if !pen.has_fact(FactName::PlanName) {
        return;
    }
    if !pen.has_fact(FactName::TodayWorkout) {
        pen.sentences.push("Your plan has nothing for today, so the day is yours.".to_owned());
        return;
    }
    match pen.verdict(FactName::TodayWorkoutVerdict) {
        Some(Verdict::Hit) => pen.write("You have today's {{today_session}} behind you already, and it counts: {{today_session_state}}."),
        Some(Verdict::Rest) => pen.write("Your plan says {{today_session}} for today, a {{today_session_state}} day, and that is where training turns into fitness."),
        Some(Verdict::NotStarted) => pen.write("Your plan has {{today_session}} for today, but nothing counts before it begins: {{today_session_state}}."),
        Some(Verdict::Short) => pen.write("Some of today's {{today_session}} is done, less than the plan asks: {{today_session_state}}."),
        Some(Verdict::Missed) if pen.absence().is_some() => pen.write("Today's {{today_session}} did not happen: {{today_session_state}}, but excused, as you marked the day."),
        Some(Verdict::Missed) => pen.write("Today's {{today_session}} did not happen: {{today_session_state}}."),
        Some(Verdict::Pending) if pen.is_kind(WorkoutKind::Rest) => pen.write("Your plan says {{today_session}} for today, which is still {{today_session_state}}, and that is where training turns into fitness."),
        // Its name says how far it is.
        Some(Verdict::Pending) if pen.is_kind(WorkoutKind::Race) => pen.write("{{today_session}} today. It is still {{today_session_state}}."),
        Some(Verdict::Pending) => pen.write_first(&[
            "{{today_session}} today, {{today_session_distance}}. It is still {{today_session_state}}.",
            "{{today_session}} today, {{today_session_time}}. It is still {{today_session_state}}.",
            "{{today_session}} today. It is still {{today_session_state}}.",
        ]),
        None => pen.write("{{today_session}} today."),
    };
}

fn write_last_verdict(pen: &mut BriefWriter<'_>) {
    if !pen.has_fact(FactName::PlanName) {
        return;
    }
    let _ = match pen.verdict(FactName::LastVerdict) {
        Some(Verdict::Hit) => pen.write_first(&[
            "On {{last_judged_day}} you did what {{last_judged_session}} asked of you: {{last_verdict}}.",
            "Your last judged day was a {{last_verdict}}.",
        ]),
        Some(Verdict::Short) => pen.write_first(&[
            "On {{last_judged_day}} you did a part of {{last_judged_session}}: {{last_verdict}}, which is still training.",
            "Your last judged day was {{last_verdict}}, which is still training.",
        ]),
        Some(Verdict::Missed) => pen.write_first(&[
            "On {{last_judged_day}} the session {{last_judged_session}} did not happen: {{last_verdict}}. Leave it there; what is gone is not caught up on.",
            "Your last judged day was {{last_verdict}}. Leave it there; what is gone is not caught up on.",
        ]),
        _ => pen.write("Your last judged day was {{last_verdict}}."),
    };
    pen.write("You were {{last_excuse}} then, so it does not count against you.");
}

fn write_absence(pen: &mut BriefWriter<'_>) {
    let waits = pen.has_fact(FactName::PendingProposals);
    let _ = match pen.absence() {
        Some(AbsenceReason::Ill) => pen
            .write("You marked yourself {{marked_today}} today, and getting well goes before any training."),
        Some(AbsenceReason::Injured) => {
            pen.write("You marked yourself {{marked_today}} today, and healing goes before any training.")
        }
        Some(AbsenceReason::Away) => {
            pen.write("You marked yourself {{marked_today}} today, so training can wait for you.")
        }
        None if pen.feels_low() => {
            pen.write("You said that you do not feel good today, and your word counts for more than a watch.")
        }
        None => false,
    };
    if waits {
        pen.write("Waiting for your decision: {{proposal_waiting}}. Nothing happens before you say so.");
    }
}

/// What pulls recovery up or down, in plain words.
const RECOVERY_FACTORS: [(FactName, &str); 5] = [
    (FactName::RecoveryFromHrv, "your heart rate variability"),
    (FactName::RecoveryFromRestingHeartRate, "your resting heart rate"),
    (FactName::RecoveryFromSleep, "your sleep"),
    (FactName::RecoveryFromFeel, "how you say you feel"),
    (FactName::RecoveryFromForm, "the training behind you"),
];

/// Less than this from a part is nothing to speak of.
const MIN_CONTRIBUTION: f64 = 0.1;

fn write_recovery(pen: &mut BriefWriter<'_>) {
    if Metric::Recovery.is_missing(pen.facts) {
        let why = pen.missing_reason(FactName::Recovery);
        pen.sentences.push(format!("There is no data on your recovery today, {why}."));
    } else {
        let _ = match pen.fact_word(FactName::RecoveryBand) {
            Some(FactWord::Recovery(RecoveryBand::High)) => {
                pen.write("Recovery is {{recovery}} this morning, {{recovery_band}} for you: the body has taken in the work.")
            }
            Some(FactWord::Recovery(RecoveryBand::Middle)) => {
                pen.write("Recovery is {{recovery}} this morning, in the {{recovery_band}} of what is normal for you.")
            }
            Some(FactWord::Recovery(RecoveryBand::Low)) => {
                pen.write("Recovery is {{recovery}} this morning, which is {{recovery_band}} for you.")
            }
            _ => pen.write("Recovery is {{recovery}} this morning."),
        };
        let parts: Vec<(f64, &str)> = RECOVERY_FACTORS
            .iter()
            .filter_map(|(name, words)| Some((pen.fact_number(*name)?, *words)))
            .filter(|(added, _)| added.abs() >= MIN_CONTRIBUTION)
            .collect();
        let up = parts.iter().filter(|(added, _)| *added > 0.0).max_by(|a, b| a.0.total_cmp(&b.0));
        let down = parts.iter().filter(|(added, _)| *added < 0.0).min_by(|a, b| a.0.total_cmp(&b.0));
        let words = match (up, down) {
            (Some((_, up)), Some((_, down))) => {
                Some(format!("What helps it most is {up}; what holds it back is {down}."))
            }
            (Some((_, up)), None) => Some(format!("What helps it most is {up}.")),
            (None, Some((_, down))) => Some(format!("What holds it back is {down}.")),
            (None, None) => None,
        };
        pen.sentences.extend(words);
    }
    let beats = pen.fact_number(FactName::RestingHeartRateFromUsual);
    if beats.is_some_and(|beats| beats.abs() >= 3.0) {
        pen.write("Your resting heart rate is {{resting_heart_rate}}, against a usual {{resting_heart_rate_usual}}.");
    }
}

fn write_sleep(pen: &mut BriefWriter<'_>) {
    if Metric::Sleep.is_missing(pen.facts) {
        let why = pen.missing_reason(FactName::SleepLastNight);
        pen.sentences.push(format!("There is no data on last night's sleep, {why}."));
        return;
    }
    let _ = match pen.fact_number(FactName::SleepFromUsual) {
        Some(minutes) if minutes >= 30.0 => {
            pen.write_first(&["You slept {{sleep_last_night}}, more than your usual {{sleep_usual}}, and that pays into everything else.", "You slept {{sleep_last_night}}, more than usual."])
        }
        Some(minutes) if minutes <= -30.0 => {
            pen.write_first(&["You slept {{sleep_last_night}}, less than your usual {{sleep_usual}}; an early evening would be worth more than any training.", "You slept {{sleep_last_night}}, less than usual."])
        }
        Some(_) => pen.write("You slept {{sleep_last_night}}, about as you usually do."),
        None => pen.write("You slept {{sleep_last_night}}."),
    };
    // Six hours in two weeks is about half an hour a night.
    if pen.fact_number(FactName::SleepDebt14Days).is_some_and(|minutes| minutes >= 360.0) {
        pen.write("Lately your nights fell {{sleep_debt_14_days}} short of what you want.");
    }
}

fn write_load(pen: &mut BriefWriter<'_>) {
    if Metric::TrainingLoad.is_missing(pen.facts) {
        let why = pen.missing_reason(FactName::Form);
        pen.sentences.push(format!("There is no data on your training load, {why}."));
        return;
    }
    // What was known long ago is told as what it was, and nothing follows from it.
    if pen.is_stale(FactName::Form) {
        pen.write_first(&[
            "When your data ended, form was {{form}}, {{form_band}}.",
            "When your data ended, form was {{form}}.",
        ]);
        return;
    }
    let _ = match pen.fact_word(FactName::FormBand) {
        Some(FactWord::Form(FormBand::HighStrain)) => pen.write("Your training weighs on you more than you have had time to absorb: form is {{form}}, {{form_band}}."),
        Some(FactWord::Form(FormBand::Productive)) => pen.write("You carry the kind of tiredness that makes you fitter: form is {{form}}, {{form_band}}."),
        Some(FactWord::Form(FormBand::Neutral)) => pen.write("Work and rest are in balance: form is {{form}}, {{form_band}}."),
        Some(FactWord::Form(FormBand::Fresh)) => pen.write("You are rested and ready to work: form is {{form}}, {{form_band}}."),
        Some(FactWord::Form(FormBand::Transition)) => pen.write("You have rested long enough for fitness to begin to fade: form is {{form}}, {{form_band}}."),
        _ => pen.write_first(&["Form, which is fitness less fatigue, is {{form}}.", "Yesterday's training came to {{load_yesterday}} points of load."]),
    };
    match pen.fact_word(FactName::RampBand) {
        Some(FactWord::Ramp(RampBand::Steep)) => {
            pen.write("Your fitness has been climbing fast ({{ramp_band}}), so let the easy days be easy.");
        }
        Some(FactWord::Ramp(RampBand::Hard)) => {
            pen.write("Your fitness has been climbing in a way that takes care to keep up ({{ramp_band}}).");
        }
        _ => {}
    }
    pen.write_first(&[
        "Over the last week you ran {{distance_7_days}} in {{runs_7_days}}.",
        "Over the last week your training came to {{load_7_days}} points of load.",
    ]);
}

/// Device data alone is a question. What the athlete marked has answered it.
fn write_question(pen: &mut BriefWriter<'_>) {
    let said_how_they_feel = pen.has_fact(FactName::RecoveryFromFeel);
    let asks = pen.has_illness_signs() || (pen.has_low_recovery() && !said_how_they_feel);
    if pen.absence().is_some() || !asks {
        return;
    }
    let hard = match pen.fact_word(FactName::TodayWorkoutKind) {
        Some(FactWord::Kind(kind)) => {
            kind.is_quality() || matches!(kind, WorkoutKind::Long | WorkoutKind::Race)
        }
        _ => false,
    };
    let waiting = pen.verdict(FactName::TodayWorkoutVerdict) == Some(Verdict::Pending);
    let asked = if pen.has_illness_signs() {
        "Your device shows what it often shows before an illness, and only you know: do you feel ill, or have a sore throat, fever or aches?"
    } else if hard && waiting {
        "A watch cannot tell how the legs are: how do you feel about a hard session today?"
    } else {
        "A watch cannot tell how you are: how do you feel today?"
    };
    pen.sentences.push(asked.to_owned());
    pen.sentences.push("Mark it or tell me, and we go by your word.".to_owned());
}

fn write_race(pen: &mut BriefWriter<'_>) {
    if pen.has_fact(FactName::PlanName) && !pen.has_warning() {
        let _ = match pen.fact_number(FactName::DaysToRace) {
            Some(0.0) => pen.write("Today is your {{goal_name}}."),
            _ => pen.write("Your {{goal_name}} is {{days_to_race}} away."),
        };
    }
}

fn write_closing(pen: &mut BriefWriter<'_>) {
    let words = if pen.metrics.is_empty() {
        "Import or sync something, and this page will have more to say."
    } else if pen.has_warning() {
        "Be kind to yourself today."
    } else {
        match pen.verdict(FactName::TodayWorkoutVerdict) {
            Some(Verdict::Pending) if pen.is_kind(WorkoutKind::Rest) => "Enjoy the rest.",
            Some(Verdict::Pending) => "Start easy, and enjoy it.",
            Some(Verdict::Hit) => "Well done; eat, drink, and put your feet up.",
            Some(Verdict::Rest) => "Enjoy the rest.",
            _ => "Have a good day.",
        }
    };
    pen.sentences.push(words.to_owned());
}
