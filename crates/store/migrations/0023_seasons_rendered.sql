-- A season as JSON, rendered when it is written, so that a list copies text. The store renders a season without it when it is read.

ALTER TABLE seasons ADD COLUMN shown {text} NOT NULL DEFAULT '';
