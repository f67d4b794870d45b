-- Current tokens of the bucket. A missing row is a full bucket; a clock set back adds no tokens.
-- Only live definitions count, not discarded, merged or deleted ones.
select
  w.id,
  c.server,
  c.client,
  least(
    100,
    coalesce(
      b.tokens + greatest(
        0,
        extract(
          epoch
          from clock_timestamp() - b.refilled_at
        )::float8
      ) * 20 / 3600.0,
      100
    )
  ) as tokens,
  coalesce((a.settings ->> 'clientKeysDefineEvents')::boolean, true) as may_client
from
  unnest($1::uuid[]) as w(id)
  cross join lateral (
    select
      count(*) filter (
        where not d.by_client_key
      )::int as server,
      count(*) filter (
        where d.by_client_key
      )::int as client
    from definitions d
    where
      d.application_id = w.id
      and not d.discarded
      and d.merged_into is null
      and d.deleted_at is null
  ) c
  left join client_definition_budgets b on b.application_id = w.id
  left join applications a on a.id = w.id
