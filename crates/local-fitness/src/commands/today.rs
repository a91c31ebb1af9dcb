//! `fitness today`

use super::settled;
use crate::clock;
use crate::context::Context;
use crate::report::Report;
use anyhow::Result;
use fitness_core::calendar::Day;

pub(super) async fn run(context: &Context, on: Option<Day>) -> Result<Report> {
    let (store, user) = context.open_for_user().await?;
    settled(&store, user.id).await?;
    let today = on.unwrap_or(Day::at(clock::now(), store.profile(user.id).await?.zone));
    let days = store.list_day_metrics(user.id, today.plus(-7), today).await?;
    store.close().await;
    Ok(Report::new(format!("{:#?}", days.last()), &days.last()))
}
