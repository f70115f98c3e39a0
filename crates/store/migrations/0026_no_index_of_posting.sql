-- Times of posting grow with the number of the entry, so that a time is found by searching numbers.

DROP INDEX ledger_entries_by_posting;
