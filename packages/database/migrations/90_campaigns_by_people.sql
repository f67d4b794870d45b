-- No transaction
-- Campaigns that people look for. Those of back ends, which are many, have neither name nor tags.
create index concurrently if not exists campaigns_by_people on campaigns (application_id, id desc)
where source = 'dashboard' or name is not null or tags <> '{}';
