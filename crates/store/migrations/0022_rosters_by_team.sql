-- With the days, the index alone says who is on a team's roster.

DROP INDEX roster_entries_by_team;
CREATE INDEX roster_entries_by_team ON roster_entries (org_id, team_id, child_id, starts_on, ends_on);
