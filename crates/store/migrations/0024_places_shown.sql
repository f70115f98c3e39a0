-- What children show of their places in teams, so that a list of children reads one row for each: a JSON list of the team, its name, the
-- number on the shirt, the position, and the first and the last day, by name. The store writes it after every change of a roster entry, or
-- of a team's name.

ALTER TABLE children ADD COLUMN places {text} NOT NULL DEFAULT '[]';
UPDATE children SET places = COALESCE((SELECT '[' || string_agg('["' || {hex}(t.id) || '",' || {json}(t.name) || ','
        || COALESCE(CAST(e.jersey_number AS TEXT), 'null') || ',' || COALESCE(CAST({json}(e.position) AS TEXT), 'null') || ',"'
        || e.starts_on || '",' || COALESCE('"' || e.ends_on || '"', 'null') || ']', ',' ORDER BY t.name, t.id, e.starts_on, e.id) || ']'
    FROM roster_entries e JOIN teams t ON t.org_id = e.org_id AND t.id = e.team_id
    WHERE e.org_id = children.org_id AND e.child_id = children.id), '[]');

-- The restrictions that are not lifted are few, and read once for a list.
CREATE INDEX restrictions_open ON restrictions (org_id, starts_at) WHERE lifted_at IS NULL;
