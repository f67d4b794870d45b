-- part: client-budget(b)
-- The budget of new definitions of Client keys. A missing row is a full bucket; a clock set back
-- adds no tokens.
least(
  100,
  coalesce(
    b.tokens
      + greatest(0, extract(epoch from clock_timestamp() - b.refilled_at)::float8) * 20 / 3600.0,
    100
  )
)

-- part: counted-definitions(owner_id)
-- Live ones: not discarded, merged or deleted.
select count(*) filter (where not d.by_client_key)::int as server,
  count(*) filter (where d.by_client_key)::int as client
from definitions d
where d.application_id = owner_id
  and not d.discarded
  and d.merged_into is null
  and d.deleted_at is null

-- name: read-remaining-budget
-- Current tokens of the bucket. A missing row is a full bucket; a clock set back adds no tokens.
-- Only live definitions count, not discarded, merged or deleted ones.
select w.id, c.server, c.client,
  -- include: client-budget(b) as tokens,
  coalesce((a.settings ->> 'clientKeysDefineEvents')::boolean, true) as may_client
from unnest($1::uuid[]) as w(id)
  cross join lateral (
    -- include: counted-definitions(w.id)
  ) c
  left join client_definition_budgets b on b.application_id = w.id
  left join applications a on a.id = w.id

-- name: spend-client-tokens
-- A missing row is a full bucket; a clock set back adds no tokens.
insert into client_definition_budgets as t (application_id, tokens, refilled_at)
select w.id,
  greatest(
    0,
    -- include: client-budget(b)
    - w.spent
  ),
  clock_timestamp()
from unnest($1::uuid[], $2::int[]) as w(id, spent)
  left join client_definition_budgets b on b.application_id = w.id
on conflict (application_id) do update
set tokens = excluded.tokens, refilled_at = excluded.refilled_at

-- name: count-definitions
-- include: counted-definitions($1)
