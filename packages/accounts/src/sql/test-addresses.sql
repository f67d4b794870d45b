-- name: read-test-addresses
select addresses from test_addresses where application_id = $1 and member_id = $2

-- name: write-test-addresses
insert into test_addresses (application_id, member_id, addresses)
values ($1, $2, $3)
on conflict (application_id, member_id) do update set addresses = excluded.addresses

-- name: forget-in-test-addresses
update test_addresses t
set addresses = array(
    select a
    from unnest(t.addresses) with ordinality as x(a, n)
    where lower(a) <> all(array(select lower(v) from unnest($2::text[]) v))
    order by n
  )
where t.application_id = $1
  and exists (
    select
    from unnest(t.addresses) a
    where lower(a) = any(array(select lower(v) from unnest($2::text[]) v))
  )
