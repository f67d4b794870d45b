-- Bridges campaigns: services/campaigns/src/personalised.integration.test.ts
-- A worker of the version before does not ask a segment again: it would send to users who left it. So chunks of a
-- campaign with `recheck` have negative numbers too, unless they already have because of its templates.
set local lock_timeout = '5s';
create trigger number_rechecked_chunks before update of lane on campaigns for each row
  when (old.lane = 'snapshot' and new.templates is null and (new.audience ->> 'recheck')::boolean)
  execute function number_personalised_chunks();
