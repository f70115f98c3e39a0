-- What a list of seasons shows of their divisions, so that it reads one range of this index for each season and no rows.

CREATE INDEX divisions_of_season ON divisions (org_id, season_id, name_folded, id, name, age_group, gender);
