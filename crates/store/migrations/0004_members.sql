-- Members are searched and sorted by name. People who joined before are folded whole when their user next changes.
ALTER TABLE users ADD COLUMN listed_folded {text} NOT NULL DEFAULT '';
UPDATE users SET listed_folded = lower(name) || ' ' || email_folded;
