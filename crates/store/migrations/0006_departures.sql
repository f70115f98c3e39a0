-- When a member was removed: 90 days later their saved programs are purged, unless they have returned. The row is deleted then.

CREATE TABLE departures (
    org_id {uuid} NOT NULL REFERENCES orgs (id),
    user_id {uuid} NOT NULL REFERENCES users (id),
    removed_at {time} NOT NULL,
    PRIMARY KEY (org_id, user_id)
) {tenant};
CREATE INDEX departures_by_time ON departures (removed_at);
