update event_recounts
set
  before = $2::timestamptz,
  arrivals_before = case
    when $2::timestamptz = '-infinity' then date_trunc(
      'hour',
      least(
        (
          select min(received_at)
          from events
          where application_id = $1
        ),
        trigger_at
      ),
      'UTC'
    )
  end
where application_id = $1
