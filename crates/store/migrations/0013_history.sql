-- The child whom a change is about. With it the history of a child is one range of an index.

ALTER TABLE ledger_effects ADD COLUMN child_id {uuid};
UPDATE ledger_effects SET child_id = record_id
    WHERE kind IN ('child', 'child_identity', 'child_contact', 'child_emergency', 'child_medical', 'child_performance');
UPDATE ledger_effects SET child_id = (SELECT r.child_id FROM relations r WHERE r.org_id = ledger_effects.org_id AND r.id = record_id)
    WHERE kind = 'relation';
UPDATE ledger_effects SET child_id = (SELECT r.child_id FROM restrictions r WHERE r.org_id = ledger_effects.org_id AND r.id = record_id)
    WHERE kind = 'restriction';
UPDATE ledger_effects SET child_id = (SELECT r.child_id FROM consents r WHERE r.org_id = ledger_effects.org_id AND r.id = record_id)
    WHERE kind = 'consent';
UPDATE ledger_effects SET child_id = (SELECT r.child_id FROM registrations r WHERE r.org_id = ledger_effects.org_id AND r.id = record_id)
    WHERE kind = 'registration';
UPDATE ledger_effects SET child_id = (SELECT r.child_id FROM roster_entries r WHERE r.org_id = ledger_effects.org_id AND r.id = record_id)
    WHERE kind = 'roster_entry';
CREATE INDEX ledger_effects_by_child ON ledger_effects (org_id, child_id, seq) WHERE child_id IS NOT NULL;
