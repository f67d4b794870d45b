-- part: searched-text(c)
coalesce(
  c.search_text,
  -- include: delivery/search-text-of(c.name, c.tags, c.message, c.templates)
)

-- part: with-request-id(asked, before)
-- A campaign is made soon after its request, by the same process: its id comes behind. In index
-- order, as a scan.
select c.id
from (
  select id, request_id
  from campaigns
  where application_id >= $1 and application_id <= $1 and id > asked and id < before
  order by application_id desc, id
  limit 1000
) as c
where c.request_id = asked

-- part: scanned(c)
-- Newest first; all, or those of people, which have an index. Written as a range of one application
-- in index order. With equality, the planner might scan the campaigns of all applications by their
-- id.
from campaigns c
where c.application_id >= $1
  and c.application_id <= $1
  and c.id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  and (not $10::boolean or c.source = 'dashboard' or c.name is not null or c.tags <> '{}')
order by c.application_id, c.id desc

-- name: find-campaigns
-- `edge` is the last row of the scan, if there are more. The limit keeps the planner from reading
-- others.
select found.id, edge.id as edge
from (select) as page
  left join lateral (
    select c.id
    -- include: scanned(c)
    offset $3::int - 1
    limit 1
  ) as edge on true
  left join lateral (
    select c.id
    from (
      select c.*
      -- include: scanned(c)
      limit $3::int
    ) as c
    where ($6::text is null or c.channel = $6)
      and -- include: delivery/shown-source(c)
      = any($7::text[])
      and (
        $8::text is null
        or $8 =
          -- include: delivery/shown-status(c)
      )
      and ($9::text is null or $9 = any(c.tags))
      and
        -- include: searched-text(c)
        collate "C" like all((select search_patterns($5))::text[])
    order by c.application_id, c.id desc
    limit $4
  ) as found on true
order by found.id desc

-- name: find-campaigns-by-id
-- Of a campaign, of one of its deliveries, or of the request that it came with.
select c.id
from campaigns c
where c.application_id = $1 and c.id = $2::uuid
union
select d.campaign_id
from deliveries d
where d.application_id = $1 and d.id = $2::uuid
union
-- include: with-request-id($2::uuid, $3::uuid)

-- name: read-found-campaigns
select c.id, c.channel, c.created_at, c.name,
  -- include: delivery/shown-source(c) as source,
  -- include: delivery/headline-of(c.message, c.templates) as headline,
  -- include: delivery/shown-status(c) as status
from campaigns c
where c.application_id = $1 and c.id = any($2)
order by c.id desc
