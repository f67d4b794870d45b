-- No transaction
-- Campaigns of callers and of people, which are many, have no automation.
create index concurrently if not exists campaigns_of_automations on campaigns (automation_id, node, id desc)
where automation_id is not null;
