-- name: resolve-users
select coalesce(by_id.ids, by_contact.ids, array[]::text[]) as ids
from unnest($2::text[], $3::text[]) with ordinality as asked(text, phone, no)
  left join lateral (
    select array[u.custom_user_id] as ids
    from users u
    where u.application_id = $1
      and u.custom_user_id = asked.text
      and u.registered_at is not null
  ) as by_id on true
  left join lateral (
    select array_agg(found.custom_user_id order by found.custom_user_id) as ids
    from (
      select each.custom_user_id
      from (
        (
          select u.custom_user_id
          from users u
          where u.application_id = $1
            and u.email_key = left(lower(asked.text), 320)
            and u.registered_at is not null
          order by u.custom_user_id
          limit $4
        )
        union
        (
          select u.custom_user_id
          from users u
          where u.application_id = $1
            and u.phone_e164 = asked.phone
            and u.registered_at is not null
          order by u.custom_user_id
          limit $4
        )
      ) as each
      order by each.custom_user_id
      limit $4
    ) as found
  ) as by_contact on by_id.ids is null
order by asked.no
