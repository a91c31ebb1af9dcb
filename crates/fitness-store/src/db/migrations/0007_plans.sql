-- When the athlete can train, and what they said about themselves, as the plan was made; NULL where nothing was said.
ALTER TABLE training_plans ADD COLUMN terms {{json}};

-- A proposal that the rules made expires on its first day, gives way to a newer one, and says what it follows from:
-- once discarded, the same is not proposed again.
ALTER TABLE proposals ADD COLUMN expires_on {{day}};
ALTER TABLE proposals ADD COLUMN follows_from TEXT;
ALTER TABLE proposals ADD COLUMN superseded_by {{int}};
CREATE INDEX proposals_by_cause ON proposals (user_id, follows_from);
