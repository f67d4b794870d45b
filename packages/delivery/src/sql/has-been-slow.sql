-- Of the application's latest slow campaigns: it may have many.
select
  exists (
    select 1
    from
      (
        select audience
        from campaigns
        where
          application_id = $1
          and snapshot_slow_at > now() - interval '7 days'
        order by snapshot_slow_at desc
        limit 100
      ) slow
    where
      case
        when $2::text is null then slow.audience ->> 'segment' is null
        and slow.audience -> 'condition' = $3::jsonb
        else slow.audience ->> 'segment' = $2
      end
  ) as has_been_slow
