-- A search of the catalogue walks the names in the order of the list, and ends with the page. The index has all that colleges are filtered
-- by, so that only those of the page are read.

DROP TABLE college_words;
DROP INDEX colleges_by_name;
CREATE INDEX colleges_by_name ON colleges (name_folded, id, state, division_folded);
