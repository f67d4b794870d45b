-- part: has-rest(c)
exists (select from campaign_chunks k where k.campaign_id = c.id and k.recipients is not null)

-- part: trial-columns(c)
c.id as "campaignId", c.application_id as "applicationId", c.channel,
(
  select jsonb_agg(t - '{message,variants}'::text[])
  from jsonb_array_elements(c.templates) t
) as templates, c.winner

-- part: sends-trial(c)
-- Everyone who gets a template first has a delivery.
c.winner is not null and c.status = 'sending' and c.expanded_at is not null

-- name: due-trials
select -- include: trial-columns(c)
from campaigns c
where -- include: sends-trial(c)
  and c.started_at + (c.winner ->> 'afterMs')::float8 * interval '1 ms' <= now()
  and not exists (select from decisions x where x.subject_id = c.id)
  and -- include: has-rest(c)
order by c.id
limit $1

-- name: trials-over
select c.id
from campaigns c
where -- include: sends-trial(c)
  and c.expires_at <= now()
  and exists (select from decisions x where x.subject_id = c.id and x.choice is null)
  and -- include: has-rest(c)
order by c.id
limit $1

-- name: lock-trial
select -- include: trial-columns(c)
from campaigns c
where c.id = $1
  and c.application_id = $2
  and -- include: sends-trial(c)
  and -- include: has-rest(c)
for no key update
