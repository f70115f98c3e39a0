-- The fields of a game as JSON, rendered when it is written, so that a list copies text. The store renders a game without them when it is read.

ALTER TABLE games ADD COLUMN shown {text} NOT NULL DEFAULT '';
