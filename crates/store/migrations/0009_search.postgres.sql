-- From statistics of the expression that a search compares, PostgreSQL learns how many names a word matches. Without them it expects one
-- match, and sorts all of them instead of walking the names in the order of the list.
CREATE STATISTICS colleges_by_words ON ((' ' || name_folded)) FROM colleges;
