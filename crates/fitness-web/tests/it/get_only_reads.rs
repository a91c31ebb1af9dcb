//! GET writes nothing: neither rows nor the audit log, whatever is stale and whatever the rules
//! would propose.

use crate::fixtures::{Caller, FilledPath, MultiUserFixture};
use crate::harness::{TestSite, refresh_all};
use axum::body::Body;
use axum::http::StatusCode;
use fitness_core::domain::note::Author;
use fitness_core::domain::observation::{ObservationData, ObservationKind};
use fitness_store::on_both_databases;
use fitness_store::testkit::{june, now};
use fitness_web::NoExternalServices;
use std::collections::BTreeMap;
use std::sync::Arc;

on_both_databases! {
    async fn get_of_every_page_writes_nothing(db) {
        let world = MultiUserFixture::with_site(TestSite::with_database(db, Arc::new(NoExternalServices)), true).await;
        let store = &world.site.db.store;
        refresh_all(store).await;
        // Stale metrics and a worse illness that the rules have not seen: each would be written by
        // a refresh.
        world.site.db.import_run(world.ben, june(13), 9.0).await;
        let ill = ObservationData::new(ObservationKind::Illness, june(13), june(18), Some(3)).unwrap();
        store.add_observation(world.ben, Author::Athlete, &ill, now()).await.unwrap();
        assert!(store.recompute_state(world.ben).await.unwrap().stale_from.is_some());

        let rows = async || -> BTreeMap<String, String> { store.table_fingerprints().await.unwrap() };
        let before = rows().await;
        assert!(before.len() > 30, "{before:?}");
        let browser = world.browser(Caller::Ben);
        let mut shown = 0;
        for route in world.site.routes.iter().filter(|route| route.method == "GET") {
            let path = match world.paths.fill_path(route.path) {
                Some(FilledPath::Owned(own, _)) => own,
                Some(FilledPath::Fixed(path)) => path,
                None => route.path.to_owned(),
            };
            let page = browser.send_without_refresh(browser.request("GET", &path).body(Body::empty()).unwrap()).await;
            assert!(!page.status.is_server_error(), "{path}: {}", page.text);
            shown += usize::from(page.status == StatusCode::OK);
            let after = rows().await;
            for (table, hash) in &before {
                assert_eq!(after.get(table), Some(hash), "GET {path} changed {table}");
            }
        }
        assert!(shown > 40, "only {shown} pages were shown");
        let page = browser.send_without_refresh(browser.request("GET", "/").body(Body::empty()).unwrap()).await;
        assert!(page.contains("updating…"), "{}", page.text);

        // The refresh does write, and the page no longer says so.
        refresh_all(store).await;
        let after = rows().await;
        for table in ["daily_metrics", "proposals", "audit_log"] {
            assert_ne!(after[table], before[table], "{table}");
        }
        let page = browser.send_without_refresh(browser.request("GET", "/").body(Body::empty()).unwrap()).await;
        assert!(!page.contains("updating…"));
    }
}
