-- name: read-campaigns-to-send
select c.id, c.application_id, c.lane, c.purpose, c.channel,
  case
    when c.templates is null then c.message
    else c.templates -> 0 -> 'message'
  end::text as message,
  c.templates::text as templates, c.account, c.expires_at, c.source = 'test' as is_test,
  c.automation_id is not null as is_of_automation, c.heard <> '{}' as is_heard,
  a.settings ->> 'defaultSubject' as default_subject,
  coalesce((a.settings ->> 'tracking')::boolean, true) as is_tracked,
  coalesce((a.settings ->> 'keepSentMessages')::boolean, true) as is_kept,
  case when (c.audience ->> 'recheck')::boolean then c.audience end as recheck,
  (c.winner ->> 'percent')::int as percent,
  (select x.choice from decisions x where x.subject_id = c.id and x.version = 0) as choice
from campaigns c join applications a on a.id = c.application_id
where c.id = any($1)
