-- What the athlete said about a workout and an activity of another day: it was this one, or it was not.
-- Where it was, the activity counts towards the workout's day. Nothing is ever matched without such a row.
CREATE TABLE workout_matches (
    id {{id}},
    user_id {{int}} NOT NULL REFERENCES users (id),
    plan_id {{int}} NOT NULL REFERENCES training_plans (id),
    workout_id {{int}} NOT NULL REFERENCES workouts (id),
    activity_id {{int}} NOT NULL REFERENCES activities (id),
    accepted {{bool}} NOT NULL,
    decided_at {{instant}} NOT NULL,
    CONSTRAINT a_workout_and_an_activity_are_decided_once UNIQUE (workout_id, activity_id)
){{table}};
CREATE UNIQUE INDEX one_activity_per_matched_workout ON workout_matches (workout_id) WHERE accepted;
CREATE UNIQUE INDEX one_workout_per_matched_activity ON workout_matches (plan_id, activity_id) WHERE accepted;
CREATE INDEX workout_matches_by_user ON workout_matches (user_id, plan_id);
CREATE INDEX workout_matches_by_activity ON workout_matches (activity_id);
