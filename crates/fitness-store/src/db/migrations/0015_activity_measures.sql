-- What an activity's load was computed from, and the moving time and ascent computed from its samples.
ALTER TABLE activities ADD COLUMN load_method TEXT;
ALTER TABLE activities ADD COLUMN measured_moving_ms {{int}};
ALTER TABLE activities ADD COLUMN measured_ascent_mm {{int}};

-- Values that only some devices report: training effect, running dynamics, balance, breathing rate.
ALTER TABLE activities ADD COLUMN device_metrics {{json}};
