-- No transaction
-- Campaigns of back ends, which are many, have no tags.
create index concurrently if not exists campaigns_by_tag on campaigns using gin (tags) where tags <> '{}';
