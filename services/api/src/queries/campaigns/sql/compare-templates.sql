-- name: compare-templates
-- Repeats the rule of `chooseShare`: $2 has the sums of the shares up to each template, $3 all.
select
  width_bucket(
    floor(
      (
        'x'
        || encode(
          substring(
            sha256(convert_to(d.campaign_id::text || ':' || d.custom_user_id, 'UTF8')) from 1 for 4
          ),
          'hex'
        )
      )::bit(32)::bigint::float8 / 4294967296 * $3::float8
    ),
    $2::float8[]
  ) as no,
  d.state, d.state = 'failed' and coalesce(d.reason = any($4::text[]), false) as is_unreachable,
  count(*)::float8 as n
from deliveries d
where d.campaign_id = $1
group by 1, 2, 3
