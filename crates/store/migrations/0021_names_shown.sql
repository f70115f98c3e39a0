-- What games show of their teams and venues, so that a list of games reads one row for each. The store writes it after every change of
-- these names, and of who plays where.

ALTER TABLE games ADD COLUMN home_name {text};
ALTER TABLE games ADD COLUMN away_name {text};
ALTER TABLE games ADD COLUMN venue_name {text};
UPDATE games SET
    home_name = (SELECT t.name FROM teams t WHERE t.org_id = games.org_id AND t.id = games.home_team_id),
    away_name = (SELECT t.name FROM teams t WHERE t.org_id = games.org_id AND t.id = games.away_team_id),
    venue_name = (SELECT v.name FROM venues v WHERE v.org_id = games.org_id AND v.id = games.venue_id);
