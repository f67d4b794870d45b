update event_recounts
set
  arrivals_slug = coalesce($2, arrivals_slug),
  arrivals_before = case
    when $2::text is not null then arrivals_before
  end
where application_id = $1
