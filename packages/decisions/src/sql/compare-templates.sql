-- name: compare-templates
-- Repeats the rule of `chooseShare`: $2 has the sums of the shares up to each template, $3 all. Who
-- waited for a decision comes after the last template.
select
  width_bucket(
    floor(
      -- include: delivery/draw-of(d.campaign_id, d.custom_user_id)
      * $3::float8
    ),
    $2::float8[]
  ) as no,
  d.state, d.state = 'failed' and coalesce(d.reason = any($4::text[]), false) as is_unreachable,
  count(*)::float8 as n
from deliveries d
where d.campaign_id = $1
group by 1, 2, 3
