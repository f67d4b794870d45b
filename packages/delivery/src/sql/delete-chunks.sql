with
  chunk as (
    delete from campaign_chunks
    where
      (campaign_id, chunk_no) in (
        select
          campaign_id,
          chunk_no
        from campaign_chunks
        where campaign_id = any($1)
        order by
          campaign_id,
          chunk_no
        limit $2
        for update
      )
    returning
      campaign_id,
      chunk_no
  ),
  address as (
    delete from delivery_addresses a
    using chunk
    where
      a.campaign_id = chunk.campaign_id
      and a.chunk_no = chunk.chunk_no
    returning 1
  ),
  delivery as (
    delete from deliveries d
    using chunk
    where
      d.campaign_id = chunk.campaign_id
      and d.chunk_no = chunk.chunk_no
    returning
      d.id,
      d.campaign_id
  ),
  filling as (
    delete from delivery_data x
    using delivery
    where
      x.campaign_id = delivery.campaign_id
      and x.delivery_id = delivery.id
    returning 1
  ),
  outcome as (
    delete from open_outcomes o
    using delivery
    where o.delivery_id = delivery.id
    returning 1
  )
select
  (
    select count(*)::int
    from chunk
  ) as chunks,
  array(
    select id
    from delivery
  ) as delivery_ids,
  (
    (
      select count(*)
      from delivery
    ) + (
      select count(*)
      from address
    ) + (
      select count(*)
      from outcome
    ) + (
      select count(*)
      from filling
    )
  )::int as rows
