//! `fitness doctor --deep` on both databases.

use crate::harness::Home;
use fitness_store::on_both_databases;

on_both_databases! {
    async fn doctor_deep_finds_a_dropped_trigger_and_a_forged_plan(db) {
        let ann = db.user("Ann").await;
        let plan = db.active_plan(ann, "Spring").await;
        let home = Home::with_database(db.url());
        let healthy = home.run(&["doctor", "--deep"]);
        assert_eq!(healthy.code, Some(0), "{healthy:?}");
        assert!(healthy.out.contains("✓ schema: all tables, indexes and triggers are unchanged"), "{}", healthy.out);
        assert!(healthy.out.contains("✓ Ann: plans, decisions and audit log are consistent"), "{}", healthy.out);
        assert!(healthy.out.contains("✓ database: writable"), "{}", healthy.out);

        let on = if db.is_sqlite() { "" } else { " ON planned_workouts" };
        let trigger = "a_planned_workout_is_never_edited";
        let sql = format!("DROP TRIGGER {trigger}{on}");
        db.execute(&sql).await;
        db.execute(&format!("UPDATE planned_workouts SET distance_mm = 42 WHERE plan_id = {plan} AND position = 0")).await;
        let deep = home.run(&["doctor", "--deep"]);
        assert_eq!(deep.code, Some(1), "{deep:?}");
        assert!(deep.out.contains(&format!("✕ schema: trigger {trigger} is missing")), "{}", deep.out);
        assert!(deep.out.contains(&format!("✕ Ann: the workouts of plan {plan} were changed in revision 1")), "{}", deep.out);
        let shallow = home.run(&["doctor"]);
        assert_eq!(shallow.code, Some(0), "without --deep plans are not compared: {shallow:?}");
    }
}
