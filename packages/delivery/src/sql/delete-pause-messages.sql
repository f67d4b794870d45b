with
  pause as (
    update channel_pauses p
    set provider_message = null
    where
      p.application_id = $1
      and exists (
        select
        from unnest($2::text[]) as a (address)
        where strpos(lower(p.provider_message), lower(a.address)) > 0
      )
  )
update campaign_events e
set detail = null
where
  e.delivery_id is null
  and e.detail is not null
  and e.type = 'channel.paused'
  and exists (
    select
    from unnest($2::text[]) as a (address)
    where strpos(lower(e.detail), lower(a.address)) > 0
  )
  and exists (
    select
    from campaigns c
    where
      c.id = e.campaign_id
      and c.application_id = $1
  )
