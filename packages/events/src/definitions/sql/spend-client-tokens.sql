-- A missing row is a full bucket; a clock set back adds no tokens.
insert into client_definition_budgets as t (application_id, tokens, refilled_at)
select
  w.id,
  greatest(
    0,
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
    ) - w.spent
  ),
  clock_timestamp()
from
  unnest($1::uuid[], $2::int[]) as w(id, spent)
  left join client_definition_budgets b on b.application_id = w.id
on conflict (application_id) do update
set
  tokens = excluded.tokens,
  refilled_at = excluded.refilled_at
