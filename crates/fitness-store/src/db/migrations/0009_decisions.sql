-- What an answer should have said better, for the athlete to see before deciding; NULL where it was no answer.
ALTER TABLE proposals ADD COLUMN findings {{json}};
-- When what a proposal followed from was taken back.
ALTER TABLE proposals ADD COLUMN withdrawn_at {{instant}};

-- The day a plan was begun on, where its start had passed when it was activated; what lies before is not judged.
ALTER TABLE training_plans ADD COLUMN begun_on {{day}};
