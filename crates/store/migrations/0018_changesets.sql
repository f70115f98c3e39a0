-- Changesets.

CREATE INDEX ledger_entries_by_changeset ON ledger_entries (org_id, changeset_id) WHERE changeset_id IS NOT NULL;
