//! Prints plans (temporary).
use super::athletes::*;
use crate::domain::units::Distance;
use crate::plan::*;

fn show(title: &str, wish: &PlanRequest, athlete: &TrainingBaseline) {
    println!("\n=== {title}");
    let made = match generate(wish, athlete) {
        Ok(made) => made,
        Err(why) => {
            println!("REFUSED {why}");
            return;
        }
    };
    for note in &made.notes {
        println!("note: {note}");
    }
    for f in &made.findings {
        println!("{}: {} {}", f.severity, f.rule, f.text);
    }
    for (week, outline) in race_weeks(wish.start, wish.race).into_iter().zip(&made.weeks) {
        let km = planned_running_distance(made.draft.workouts(), week, wish.race).km();
        let days: Vec<String> = made
            .draft
            .workouts()
            .iter()
            .filter(|w| week.contains(w.date) && !w.is_rest())
            .map(|w| format!("{} {} {:.1}", w.date.weekday(), w.name, w.distance.map_or(0.0, Distance::km)))
            .collect();
        println!(
            "{} {}{} {km:.1}: {}",
            week.first,
            outline.phase,
            if outline.cutback { " cut" } else { "" },
            days.join(" | ")
        );
    }
}

#[test]
fn explore() {
    for (km, runs, goal, weeks) in [
        (20.0, 3, GoalDistance::Full, 24),
        (12.0, 3, GoalDistance::Half, 20),
        (50.0, 5, GoalDistance::Half, 12),
        (87.0, 6, GoalDistance::Full, 16),
        (40.0, 4, GoalDistance::Full, 18),
        (35.0, 4, GoalDistance::TenK, 10),
        (45.0, 5, GoalDistance::FiveK, 10),
        (18.0, 3, GoalDistance::FiveK, 8),
    ] {
        let race = goal.distance().unwrap();
        let athlete = with_result(runner(km, runs, 60), race);
        let wish = plan_request(goal, weeks * 7 - 1);
        show(&format!("{km} km/week, {goal}, {weeks} weeks"), &wish, &athlete);
    }
}
