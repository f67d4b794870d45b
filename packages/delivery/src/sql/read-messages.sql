select
  id,
  case
    when templates is null then message
    else templates -> 0 -> 'message'
  end::text as message,
  (
    select jsonb_agg(t - '{message,variants}'::text[])
    from jsonb_array_elements(templates) t
  ) as templates
from campaigns
where id = any($1)
