-- Restrictions whose reason and document are sealed. Nothing has written the table before.

DROP TABLE restrictions;

-- `class_bits` has a bit for each closed class.
CREATE TABLE restrictions (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    child_id {uuid} NOT NULL,
    user_id {uuid} REFERENCES users (id),
    classes {text} NOT NULL,
    kind {text} NOT NULL,
    reason {bytes} NOT NULL,
    document_ref {bytes} NOT NULL,
    starts_at {time} NOT NULL,
    entered_by {uuid},
    lifted_at {time},
    lifted_by {uuid},
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    class_bits {int} NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, child_id) REFERENCES children (org_id, id)
) {tenant};
CREATE INDEX restrictions_by_child ON restrictions (org_id, child_id, created_at, id);

-- Safeguarding cases. Their children and leads are also rows of their own, for joins.
CREATE TABLE safeguarding_cases (
    org_id {uuid} NOT NULL REFERENCES orgs (id),
    id {uuid} NOT NULL,
    title {text} NOT NULL,
    child_ids {text} NOT NULL,
    lead_ids {text} NOT NULL,
    state {text} NOT NULL,
    opened_by {uuid},
    opened_at {time} NOT NULL,
    confirmed_by {uuid},
    confirmed_at {time},
    confirmed_alone {bool} NOT NULL,
    ends_at {time},
    closed_by {uuid},
    closed_at {time},
    note {text},
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id)
) {tenant};
CREATE INDEX safeguarding_cases_by_time ON safeguarding_cases (org_id, created_at, id);

-- A child's row stays when the child is erased: with it, the case stays hidden from the family.
CREATE TABLE case_children (
    org_id {uuid} NOT NULL,
    case_id {uuid} NOT NULL,
    child_id {uuid} NOT NULL,
    PRIMARY KEY (org_id, case_id, child_id),
    FOREIGN KEY (org_id, case_id) REFERENCES safeguarding_cases (org_id, id) ON DELETE CASCADE
) {tenant};
CREATE INDEX case_children_by_child ON case_children (org_id, child_id, case_id);

CREATE TABLE case_leads (
    org_id {uuid} NOT NULL,
    case_id {uuid} NOT NULL,
    user_id {uuid} NOT NULL REFERENCES users (id),
    PRIMARY KEY (org_id, case_id, user_id),
    FOREIGN KEY (org_id, case_id) REFERENCES safeguarding_cases (org_id, id) ON DELETE CASCADE
) {tenant};
CREATE INDEX case_leads_by_user ON case_leads (org_id, user_id, case_id);

CREATE TABLE break_glass_grants (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    child_id {uuid} NOT NULL,
    user_id {uuid} NOT NULL REFERENCES users (id),
    reason_code {text} NOT NULL,
    reason {bytes} NOT NULL,
    starts_at {time} NOT NULL,
    ends_at {time} NOT NULL,
    ended_at {time},
    told_at {time},
    reviewed_by {uuid},
    reviewed_at {time},
    outcome {text},
    note {bytes} NOT NULL,
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, child_id) REFERENCES children (org_id, id)
) {tenant};
CREATE INDEX break_glass_grants_by_time ON break_glass_grants (org_id, created_at, id);
CREATE INDEX break_glass_grants_by_user ON break_glass_grants (org_id, user_id, starts_at);
CREATE INDEX break_glass_grants_by_child ON break_glass_grants (org_id, child_id);
