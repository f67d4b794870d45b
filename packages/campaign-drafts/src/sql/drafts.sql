-- part: draft-columns(d)
d.id, d.content::text as content, d.version, d.created_at, d.created_by, d.updated_at, d.updated_by

-- name: list-drafts
-- What an incomplete push has of each, if it is what a push has there.
select d.id,
  case when jsonb_typeof(d.content -> 'name') = 'string' then left(d.content ->> 'name', $2) end
    as name,
  case when jsonb_typeof(d.content -> 'tags') = 'array' then d.content -> 'tags' else '[]' end
    as tags,
  d.content ->> 'channel' as channel,
  left(coalesce(d.content #>> '{message,title}', d.content #>> '{message,body}'), $2) as title,
  case when jsonb_typeof(d.content -> 'segment') = 'string' then d.content ->> 'segment' end
    as segment,
  case
    when jsonb_typeof(d.content -> 'recipients') = 'array'
      then jsonb_array_length(d.content -> 'recipients')
  end as recipients,
  d.version, d.created_at, d.created_by, d.updated_at, d.updated_by
from campaign_drafts d
where d.application_id = $1
order by d.updated_at desc, d.id desc

-- name: read-draft
select -- include: draft-columns(d)
from campaign_drafts d
where d.id = $1 and d.application_id = $2

-- name: lock-drafts
select pg_advisory_xact_lock(hashtextextended('drafts of ' || $1::text, 0))

-- name: count-drafts
select count(*)::int as count from campaign_drafts where application_id = $1

-- name: oldest-drafts
select id, updated_at
from campaign_drafts
where application_id = $1
order by updated_at, id
limit $2

-- name: create-draft
insert into campaign_drafts as d (id, application_id, content, created_by, updated_by)
values ($1, $2, $3::jsonb, $4, $4)
returning -- include: draft-columns(d)

-- name: write-draft
update campaign_drafts d
set content = $4::jsonb, version = d.version + 1, updated_at = now(), updated_by = $5
where d.id = $1 and d.application_id = $2 and d.version = $3 and d.content <> $4::jsonb
returning -- include: draft-columns(d)

-- name: is-draft-equal
select content = $3::jsonb as is_equal
from campaign_drafts
where id = $1 and application_id = $2

-- name: delete-draft
delete from campaign_drafts where id = $1 and application_id = $2

-- name: take-draft
delete from campaign_drafts where id = $1 and application_id = $2 and version = $3

-- name: purge-drafts
delete from campaign_drafts
where id = any(
    array(
      select id
      from campaign_drafts
      where updated_at < now() - $1::float8 * interval '1 day'
      order by updated_at
      limit $2
      for update skip locked
    )
  )
