-- Divisions and teams as records of their own: listed by name, and found by the ids that other systems gave them.

ALTER TABLE divisions ADD COLUMN external_id {text};
CREATE UNIQUE INDEX divisions__external_id ON divisions (org_id, season_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX divisions_by_name ON divisions (org_id, name_folded, id);
CREATE INDEX teams_by_name ON teams (org_id, name_folded, id);

-- The local start as it was set, which stays when the rules of the time zone change. A job of the server fills it in for games to come.
ALTER TABLE games ADD COLUMN local_start {text};
-- Games of a division are listed by start.
DROP INDEX games_by_division;
CREATE INDEX games_by_division ON games (org_id, division_id, starts_at, id);
