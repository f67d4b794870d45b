with
  marked as (
    update deliveries d
    set
      state = 'sending',
      attempts = d.attempts + 1,
      lease_until = clock_timestamp() + $3::float8 * interval '1 ms',
      updated_at = now()
    from unnest($1::uuid[], $2::int[]) as x(id, fence)
    where
      d.id = x.id
      and d.fence = x.fence
      and d.state = 'claimed'
      and d.lease_until > now()
      and (
        select
          c.status = 'sending'
            and now() < c.expires_at
        from campaigns c
        where c.id = d.campaign_id
      )
    returning
      d.id,
      d.fence,
      d.application_id,
      d.campaign_id,
      d.chunk_no,
      d.lease_until
  ),
  recorded as (
    insert into delivery_data (
      campaign_id,
      delivery_id,
      application_id,
      words,
      rendered_at,
      template_no,
      variant_no,
      renderer,
      filled_in
    )
    select
      m.campaign_id,
      m.id,
      m.application_id,
      r.words,
      to_timestamp(r.rendered_at / 1000),
      r.template_no,
      r.variant_no,
      r.renderer,
      r.filled_in
    from
      marked m
      join unnest(
        $1::uuid[],
        $4::uuid[],
        $5::float8[],
        $6::smallint[],
        $7::smallint[],
        $8::smallint[],
        $9::text[]
      ) as r(id, words, rendered_at, template_no, variant_no, renderer, filled_in) on r.id = m.id
    where r.words is not null
    on conflict do nothing
  )
select
  id,
  fence,
  campaign_id,
  chunk_no,
  lease_until::text as lease_until
from marked
