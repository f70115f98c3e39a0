-- Saved college programs of children. A child has one list, which its family keeps. Notes and tags are sealed.

CREATE TABLE child_favorites (
    org_id {uuid} NOT NULL,
    id {uuid} NOT NULL,
    child_id {uuid} NOT NULL,
    saved_by {uuid} NOT NULL,
    program_id {uuid} REFERENCES programs (id),
    custom {text},
    stage {text} NOT NULL,
    fit {text} NOT NULL,
    interest {int},
    rank {int} NOT NULL,
    notes {bytes} NOT NULL,
    tags {bytes} NOT NULL,
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    version {int} NOT NULL,
    custom_folded {text},
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, child_id) REFERENCES children (org_id, id)
) {tenant};
CREATE INDEX child_favorites_by_child ON child_favorites (org_id, child_id, rank, id);
CREATE UNIQUE INDEX child_favorites__program_id ON child_favorites (org_id, child_id, program_id) WHERE program_id IS NOT NULL;
CREATE UNIQUE INDEX child_favorites__custom ON child_favorites (org_id, child_id, custom_folded) WHERE custom_folded IS NOT NULL;
