set local lock_timeout = '5s';
-- A delivery is inserted once and updated three times, and each counts: analyzed after as many changes as the tenth part of their
-- rows, which is the default, these tables would be at every fortieth part of new deliveries, while they are sent.
alter table deliveries set (autovacuum_analyze_scale_factor = 0.4);
alter table delivery_addresses set (autovacuum_analyze_scale_factor = 0.4);
-- Of what is only ever added to, a larger sample says little that a smaller did not.
alter table campaign_events set (autovacuum_analyze_scale_factor = 0.3);
