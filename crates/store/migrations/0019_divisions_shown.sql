-- What seasons show of their divisions, so that a list of seasons reads one row for each: a JSON list of id, name, age group and gender,
-- by folded name. The store writes it after every change of a division.

ALTER TABLE seasons ADD COLUMN divisions {text} NOT NULL DEFAULT '[]';
UPDATE seasons SET divisions = COALESCE((SELECT '[' || string_agg('["' || {hex}(d.id) || '",' || {json}(d.name) || ','
        || COALESCE({json}(d.age_group), 'null') || ',' || COALESCE({json}(d.gender), 'null') || ']', ',' ORDER BY d.name_folded) || ']'
    FROM divisions d WHERE d.org_id = seasons.org_id AND d.season_id = seasons.id), '[]');
