"""Reference implementation: queries the database for the windows of every single day."""

import json
import math
import sqlite3
import statistics
import sys
from datetime import date, timedelta

database = sqlite3.connect(sys.argv[1])
database.execute(
    "CREATE TEMP TABLE reference (day TEXT PRIMARY KEY, load REAL, fitness REAL, fatigue REAL, form REAL, ramp REAL,"
    " hrv_mean REAL, hrv_sd REAL, hrv_week REAL, resting REAL, resting_mad REAL, sleep REAL, debt REAL, stress REAL,"
    " battery REAL, weight REAL, monotony REAL, recovery REAL)"
)


def one(sql, *values):
    return database.execute(sql, values).fetchone()[0]


def window(column, day, days, before=0):
    first, last = day - timedelta(days=days + before - 1), day - timedelta(days=before)
    rows = database.execute(
        f"SELECT {column} FROM daily_wellness WHERE day BETWEEN ? AND ? AND {column} IS NOT NULL ORDER BY day",
        (first.isoformat(), last.isoformat()),
    )
    return [row[0] for row in rows]


def middle(values):
    return statistics.median(values) if values else None


def spread(values):
    if not values:
        return None
    centre = statistics.median(values)
    return statistics.median([abs(value - centre) for value in values])


first = min(
    one("SELECT min(day) FROM activities"), one("SELECT min(day) FROM daily_wellness") or "9999-12-31"
)
last = one("SELECT max(complete_through) FROM sync_runs")
day, end = date.fromisoformat(first), date.fromisoformat(last)
slow, fast = 1 - math.exp(-1 / 42), 1 - math.exp(-1 / 7)
fitness = fatigue = 0.0
history, days = [], 0
while day <= end:
    text = day.isoformat()
    load = one("SELECT coalesce(sum(load), 0) FROM activities WHERE day = ? AND deleted_at IS NULL", text)
    form = fitness - fatigue
    fitness += (load - fitness) * slow
    fatigue += (load - fatigue) * fast
    history.append(fitness)
    week = [
        one(
            "SELECT coalesce(sum(load), 0) FROM activities WHERE day = ? AND deleted_at IS NULL",
            (day - timedelta(days=back)).isoformat(),
        )
        for back in range(7)
    ]
    deviation = statistics.stdev(week)
    nights = [math.log(value) for value in window("hrv_ms", day, 60, 7) if 5 <= value <= 250]
    latest = [math.log(value) for value in window("hrv_ms", day, 7) if 5 <= value <= 250]
    mean = statistics.mean(nights) if len(nights) >= 14 else None
    sd = statistics.stdev(nights) if len(nights) >= 14 else None
    recent = statistics.mean(latest) if len(latest) >= 3 else None
    resting = window("resting_heart_rate", day, 60)
    slept = [value / 3_600_000 for value in window("asleep_ms", day, 14)]
    debt = max(0.0, sum(max(-1.0, 8 - night) for night in slept)) if len(slept) >= 10 else None
    recovery = None
    if mean is not None and sd and recent is not None:
        recovery = round(50 * (1 + math.erf((recent - mean) / sd / math.sqrt(2))))
    database.execute(
        "INSERT INTO reference VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            text,
            load,
            fitness,
            fatigue,
            form,
            fitness - history[-8] if len(history) > 7 else None,
            mean,
            sd,
            recent,
            middle(resting),
            spread(resting),
            middle(window("asleep_ms", day, 28)),
            debt,
            middle(window("stress_avg", day, 60)),
            middle(window("body_battery_high", day, 60)),
            middle(window("weight_kg", day, 60)),
            statistics.mean(week) / deviation if deviation else None,
            recovery,
        ),
    )
    days += 1
    day += timedelta(days=1)
print(json.dumps({"days": days, "fitness": fitness}))
