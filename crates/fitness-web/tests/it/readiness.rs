//! `/readyz` reports the newest result of the periodic write check, and its age.

use crate::harness::TestSite;
use axum::http::StatusCode;

#[tokio::test]
async fn readyz_reports_writes_that_are_not_stored_until_they_are_again() {
    let site = TestSite::new().await;
    let (app, stranger) = (site.app(), site.signed_out_browser());
    let before = stranger.get("/readyz").await;
    assert_eq!((before.status, before.text.as_str()), (StatusCode::OK, "ready\n"), "not checked yet");
    app.state.health.check(&app.store).await;
    let ready = stranger.get("/readyz").await;
    assert_eq!(ready.status, StatusCode::OK);
    assert!(ready.contains("last write check: 0 s ago"), "{}", ready.text);

    site.db
        .execute(
            "CREATE TRIGGER broken_disk BEFORE UPDATE ON database_identity \
             BEGIN SELECT RAISE(ABORT, 'disk I/O error'); END",
        )
        .await;
    let unchecked = stranger.get("/readyz").await;
    assert_eq!(unchecked.status, StatusCode::OK, "a request does not check by itself");
    app.state.health.check(&app.store).await;
    let broken = stranger.get("/readyz").await;
    assert_eq!(broken.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(broken.contains("The database does not store writes (checked 0 s ago)"), "{}", broken.text);
    assert!(!broken.contains("disk I/O error"), "what exactly is wrong is for the log");
    assert_eq!(stranger.get("/healthz").await.status, StatusCode::OK, "the process lives");

    site.db.execute("DROP TRIGGER broken_disk").await;
    app.state.health.check(&app.store).await;
    assert_eq!(stranger.get("/readyz").await.status, StatusCode::OK);
}
