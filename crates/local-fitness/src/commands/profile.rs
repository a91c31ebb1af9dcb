//! `fitness profile` and `fitness checkin`

use super::refresh;
use super::thresholds::parse_error;
use crate::cli::ProfileCommand;
use crate::clock;
use crate::context::Context;
use crate::error::CliError;
use crate::output::CommandOutput;
use anyhow::Result;
use fitness_core::domain::athlete::Profile;
use fitness_core::domain::calendar::Day;
use fitness_core::domain::note::Author;
use fitness_core::domain::observation::{ObservationData, ObservationKind};
use fitness_core::domain::units::TimeSpan;
use fitness_core::presentation::thresholds::parse_sleep_need;
use serde_json::json;

pub(super) async fn run(context: &Context, command: ProfileCommand) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let mut profile = store.profile(user.id).await?;
    if let ProfileCommand::Set { sex, birth_year, sleep_need, zone, units } = command {
        let before = profile.clone();
        let sleep_need = sleep_need.as_deref().map(parse_sleep_need).transpose().map_err(parse_error)?;
        profile = Profile {
            sex: sex.or(profile.sex),
            birth_year: birth_year.or(profile.birth_year),
            sleep_need: sleep_need.or(profile.sleep_need),
            zone: zone.unwrap_or(profile.zone),
            units: units.unwrap_or(profile.units),
            week_start: profile.week_start,
        };
        if profile != before {
            store.put_profile(user.id, &profile, clock::now()).await?;
            refresh(&store, user.id).await?;
        }
    }
    store.close().await;
    let or_not = |value: Option<String>| value.unwrap_or_else(|| "not set".to_owned());
    let words = format!(
        "time zone   {}\nunits       {}\nborn        {}\nsex         {}\nsleep goal  {}\n",
        profile.zone,
        profile.units,
        or_not(profile.birth_year.map(|year| year.to_string())),
        or_not(profile.sex.map(|sex| sex.to_string())),
        or_not(profile.sleep_need.map(TimeSpan::format_hours_minutes)),
    );
    Ok(CommandOutput::new(words, &profile))
}

pub(super) async fn check_in(context: &Context, feeling: u8, day: Option<Day>) -> Result<CommandOutput> {
    let (store, user) = context.open_for_user().await?;
    let today = Day::at(clock::now(), store.profile(user.id).await?.zone);
    let day = day.unwrap_or(today);
    if day > today {
        return Err(CliError::new(format!("{day} is in the future"), "use today or an earlier day").into());
    }
    let observed = ObservationData::new(ObservationKind::Mood, day, day, Some(feeling))?;
    store.add_observation(user.id, Author::Athlete, &observed, clock::now()).await?;
    refresh(&store, user.id).await?;
    let waiting = super::plan::load_pending(&store, user.id, today).await?;
    store.close().await;
    let words = format!("Saved for {day}: {feeling} of 5. Check in again to change it.\n{}", waiting.text);
    Ok(CommandOutput::new(words.trim_end(), &json!({ "waiting": waiting, "day": day, "feeling": feeling })))
}
