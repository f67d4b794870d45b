-- part: headline(c)
coalesce(
  c.headline,
  -- include: delivery/headline-of(c.message, c.templates)
)

-- part: searched-text(c)
-- All that a campaign is found by, separated by spaces.
concat_ws(
  ' ',
  c.name,
  -- include: headline(c),
  array_to_string(c.tags, ' ')
)

-- part: with-request-id(asked, before)
-- A campaign is made soon after its request, by the same process: its id comes behind.
select c.id
from (
  select id, request_id
  from campaigns
  where application_id = $1 and id > asked and id < before
  order by id
  limit 1000
) as c
where c.request_id = asked

-- name: find-campaigns
-- `edge` is the last row of the scan, if there are more.
with edge as materialized (
  select c.id
  from campaigns c
  where c.application_id = $1 and ($2::uuid is null or c.id < $2::uuid)
  order by c.id desc
  offset $3
  limit 1
)
select found.id, edge.id as edge
from (select) as page
  left join edge on true
  left join lateral (
    select c.id
    from campaigns c
    where c.application_id = $1
      and ($2::uuid is null or c.id < $2::uuid)
      and (edge.id is null or c.id >= edge.id)
      and ($6::text is null or c.channel = $6)
      and c.source = any($7::text[])
      and (
        $8::text is null
        or $8 =
          -- include: delivery/shown-status(c)
      )
      and ($9::text is null or $9 = any(c.tags))
      and search_key(
        -- include: searched-text(c)
      ) collate "C" like all((select search_patterns($5))::text[])
    order by c.id desc
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
select c.id, c.channel, c.source, c.created_at, c.name,
  -- include: headline(c) as headline,
  -- include: delivery/shown-status(c) as status
from campaigns c
where c.application_id = $1 and c.id = any($2)
order by c.id desc
