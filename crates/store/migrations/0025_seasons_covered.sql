-- With every column that lists and searches of seasons need, SQLite reads nothing but the index. PostgreSQL limits the size of its entries.

{on_sqlite}DROP INDEX seasons_by_day;
{on_sqlite}CREATE INDEX seasons_by_day ON seasons (org_id, listed_on, id, name_folded, status, sport, ends_on, version, shown, divisions);
