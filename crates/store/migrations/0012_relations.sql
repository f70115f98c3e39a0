-- The relations that wait for a second person, for the managers who can confirm them.

CREATE INDEX relations_waiting ON relations (org_id, created_at, id) WHERE state = 'proposed';
