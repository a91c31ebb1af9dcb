//! `GET /`: what to do today.

use crate::parts::time;
use crate::problem::Problem;
use crate::view::{Place, View};
use axum::response::Response;
use maud::html;

pub(crate) async fn show(view: View) -> Result<Response, Problem> {
    let body = html! { h1 { (time::long(view.today)) } };
    Ok(view.page(Place::Today, "Today", &body))
}
