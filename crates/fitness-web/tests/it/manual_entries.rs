//! Activities and races entered by hand, and gear, in a browser.

use crate::harness::TestSite;
use axum::http::StatusCode;
use fitness_core::domain::units::Distance;
use fitness_store::testkit::june;

#[tokio::test]
async fn run_without_a_watch_is_entered_and_shown_as_such() {
    let site = TestSite::new().await;
    let user = site.db.user("Ann").await;
    let ann = site.signed_in(user).await;
    let page = ann.get("/activities/new?day=2026-06-13").await;
    assert!(page.status == StatusCode::OK && page.contains("value=\"2026-06-13\""));
    let bad = ann
        .post(
            "/activities/new",
            &[("sport", "running"), ("day", "2026-06-30"), ("time", "50:00"), ("distance", "8")],
        )
        .await;
    assert_eq!(bad.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(bad.contains("in the future") && bad.contains("value=\"50:00\""), "the entered values stay");
    let bad = ann
        .post(
            "/activities/new",
            &[("sport", "rest"), ("day", "x"), ("time", "soon"), ("start", "25:99"), ("distance", "far")],
        )
        .await;
    assert_eq!(bad.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(site.db.store.count_activities(user).await.unwrap().0, 0);
    let fields = [
        ("sport", "running"),
        ("day", "2026-06-13"),
        ("start", "07:30"),
        ("time", "50:00"),
        ("distance", "8.2"),
        ("name", "<b>River</b>"),
    ];
    let address = ann.post("/activities/new", &fields).await.redirect_target().to_owned();
    let page = ann.get(&address).await;
    assert!(page.contains("entered by hand") && page.contains("&lt;b&gt;River&lt;/b&gt;"));
    let stored = &site.db.store.list_activities(user, june(13), june(13)).await.unwrap()[0];
    assert_eq!(stored.activity.distance, Distance::from_km(8.2));
    assert!(ann.get("/activities").await.contains("entered by hand"));
    // It can be corrected and deleted.
    let edit = format!("/activities/{}/edit", stored.id);
    let fields = [("name", "River"), ("sport", "running"), ("distance", "9km"), ("moving", "50:00")];
    ann.post(&edit, &fields).await.redirect_target();
    let stored = &site.db.store.list_activities(user, june(13), june(13)).await.unwrap()[0];
    assert_eq!(stored.activity.distance, Distance::from_km(9.0));
    let bad = ann
        .post(&edit, &[("name", "River"), ("sport", "running"), ("distance", "900km"), ("moving", "50:00")])
        .await;
    assert_eq!(bad.status, StatusCode::UNPROCESSABLE_ENTITY);
    ann.post(&format!("/activities/{}/delete", stored.id), &[]).await.redirect_target();
    assert_eq!(site.db.store.count_activities(user).await.unwrap().0, 0);
}

#[tokio::test]
async fn race_is_added_and_flagged() {
    let site = TestSite::new().await;
    let user = site.db.user("Ann").await;
    let ann = site.signed_in(user).await;
    assert!(ann.get("/overview").await.contains("/races/new"));
    let bad = ann
        .post(
            "/races/new",
            &[("name", "Town 10k"), ("day", "2026-06-07"), ("distance", "10k"), ("time", "5:00")],
        )
        .await;
    assert_eq!(bad.status, StatusCode::UNPROCESSABLE_ENTITY);
    ann.post(
        "/races/new",
        &[
            ("name", "Town 10k"),
            ("day", "2026-06-07"),
            ("distance", "10k"),
            ("time", "44:19"),
            ("effort", "race"),
        ],
    )
    .await
    .redirect_target();
    assert!(ann.get("/overview").await.contains("Town 10k"));
    site.db.import_run(user, june(12), 10.0).await;
    let id = site.db.store.list_activities(user, june(12), june(12)).await.unwrap()[0].id;
    assert!(ann.get(&format!("/activities/{id}")).await.contains("Mark as a race"));
    ann.post(&format!("/overview/races/{id}/confirm"), &[]).await.redirect_target();
    assert!(!ann.get(&format!("/activities/{id}")).await.contains("Mark as a race"));
    assert_eq!(site.db.store.list_races(user).await.unwrap().len(), 2);
}

#[tokio::test]
async fn gear_is_added_chosen_and_belongs_to_its_athlete() {
    let site = TestSite::new().await;
    let (user, other) = (site.db.user("Ann").await, site.db.user("Ben").await);
    let (ann, ben) = (site.signed_in(user).await, site.signed_in(other).await);
    assert_eq!(
        ann.post("/gear", &[("name", ""), ("kind", "shoes")]).await.status,
        StatusCode::UNPROCESSABLE_ENTITY
    );
    ann.post("/gear", &[("name", "Ghost <15>"), ("kind", "shoes"), ("initial", "695")])
        .await
        .redirect_target();
    let id = site.db.store.list_gear(user, june(14)).await.unwrap()[0].gear.id;
    site.db.import_run(user, june(12), 10.0).await;
    let activity = site.db.store.list_activities(user, june(12), june(12)).await.unwrap()[0].id;
    let address = format!("/activities/{activity}/gear");
    assert_eq!(ben.post(&address, &[("gear", "none")]).await.status, StatusCode::NOT_FOUND);
    assert_eq!(ben.post(&format!("/gear/{id}/delete"), &[]).await.status, StatusCode::NOT_FOUND);
    let gear = id.to_string();
    ann.post(&address, &[("gear", gear.as_str())]).await.redirect_target();
    let page = ann.get("/gear").await;
    assert!(
        page.contains("Ghost &lt;15&gt;") && page.contains("705") && page.contains("Time to replace it?")
    );
    ann.post("/gear/default", &[("sport", "running"), ("gear", gear.as_str())]).await.redirect_target();
    assert!(ann.get("/gear").await.contains("default for Run"));
    ann.post(&format!("/gear/{id}/retire"), &[]).await.redirect_target();
    assert!(!ann.get("/gear").await.contains("Time to replace it?"));
    ann.post(&format!("/gear/{id}/delete"), &[]).await.redirect_target();
    assert!(site.db.store.list_gear(user, june(14)).await.unwrap().is_empty());
}
