-- part: best-named(s)
-- Those that begin with the text, first.
search_key(s.name || ' ' || s.slug) collate "C" like all((select search_patterns($2))::text[])
order by starts_with(search_key(s.name), search_key($3)) desc, s.name, s.slug
limit $4

-- name: find-segments
select s.slug, s.name
from segments s
where s.application_id = $1
  and s.archived_at is null
  and -- include: best-named(s)

-- name: find-automations
select s.slug, s.name, s.status
from automations s
where s.application_id = $1
  and s.archived_at is null
  and -- include: best-named(s)

-- name: find-templates
select s.slug, s.name, s.channel
from templates s
where s.application_id = $1
  and s.archived_at is null
  and -- include: best-named(s)
