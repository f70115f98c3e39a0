-- The operator suspends organizations.
ALTER TABLE orgs ADD COLUMN suspended_at {time};
