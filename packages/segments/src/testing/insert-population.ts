import { storedMailboxKey, stringifyExactJson, systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { Population } from './population.ts';

/** Writes a population as the consumers would have left it. */
export async function insertPopulation(db: Database, of: Population): Promise<void> {
  const { applicationId, persons } = of;
  const insert = (text: string, rows: readonly unknown[]) =>
    db.sql.query(text, [applicationId, stringifyExactJson(rows)]);
  await db.sql.query('update applications set settings = $2 where id = $1', [
    applicationId,
    JSON.stringify({
      sendUntested: of.sendUntested,
      ...(of.timeZone !== null && { timeZone: of.timeZone }),
    }),
  ]);
  await insert(
    `insert into definitions (application_id, slug, kind, name, origin, discarded, merged_into)
     select $1, slug, kind, name, 'auto', discarded, "mergedInto"
     from jsonb_to_recordset($2::jsonb) as x(slug text, kind text, name text, discarded bool, "mergedInto" text)`,
    of.definitions,
  );
  await insert(
    `insert into channel_settings (application_id, channel, settings, status)
     select $1, channel, '{}', status from jsonb_to_recordset($2::jsonb) as x(channel text, status text)`,
    Object.entries(of.channels).map(([channel, status]) => ({ channel, status })),
  );
  await insert(
    `insert into suppressions (application_id, channel, address, reason, mailbox_key)
     select $1, channel, address, reason, key from jsonb_to_recordset($2::jsonb) as x(channel text, address text, reason text, key text)
     on conflict do nothing`,
    of.suppressions.flatMap((each) => {
      const key = storedMailboxKey(each.address);
      return key === null
        ? [each]
        : [
            { ...each, key },
            { ...each, address: key },
          ];
    }),
  );
  await insert(
    `insert into users (id, application_id, custom_user_id, registered_at, merged_into, fields, custom_attributes, clocks, phone_e164, mailbox_key, mailbox_spelling)
     select id, $1, custom, to_timestamp(registered / 1000.0), root, coalesce(fields, '{}'), coalesce(attributes, '{}'), coalesce(clocks, '{}'), phone,
            key, case when key is not null then left(lower(fields ->> 'email'), 320) end
     from jsonb_to_recordset($2::jsonb) as x(id uuid, custom text, registered bigint, root uuid, fields jsonb, attributes jsonb, clocks jsonb, phone text, key text)`,
    persons.flatMap((person) => [
      {
        id: person.id,
        custom: person.customUserId,
        registered: person.registeredAt,
        fields: person.fields,
        attributes: person.customAttributes,
        clocks: person.clocks,
        phone: person.phoneE164,
        key: storedMailboxKey(person.fields['email']),
      },
      ...person.mergedIds.map((id) => ({ id, root: person.id })),
    ]),
  );
  await insertEvents(db, of);
  await insert(
    `insert into devices (application_id, device_id, user_id, kind, address, time_zone, seen_at, proved_user_id, user_id_at_proof)
     select $1, gen_random_uuid()::text, "user", kind, address, zone, to_timestamp(seen / 1000.0), "user", case when proof then "user" else gen_random_uuid() end
     from jsonb_to_recordset($2::jsonb) as x("user" uuid, kind text, address text, zone text, seen bigint, proof bool)`,
    persons.flatMap(({ id, devices }) =>
      devices.map((device) => ({
        user: id,
        kind: device.kind,
        address: device.hasAddress ? 'an address' : null,
        zone: device.timeZone,
        seen: device.seenAt,
        proof: device.isProof,
      })),
    ),
  );
  await insert(
    `insert into campaigns (id, application_id, channel, purpose, lane, source, status, message, recipients_requested, recipients_unique, created_by, request_id, created_at, expires_at, tags)
     select id, $1, channel, purpose, 'bulk', 'api', 'completed', '{}', 0, 0, 'test', id, now(), now(), array(select jsonb_array_elements_text(tags))
     from jsonb_to_recordset($2::jsonb) as x(id uuid, channel text, purpose text, tags jsonb)`,
    of.campaigns,
  );
  await insert(
    `insert into deliveries (campaign_id, chunk_no, application_id, channel, custom_user_id, user_id, test_address, state, sent_at, delivered_at, opened_at, clicked_at)
     select c.id, 0, $1, c.channel, custom, "user", case when "isTest" then 'an address' end, 'sent', to_timestamp(sent / 1000.0), to_timestamp(delivered / 1000.0), to_timestamp(opened / 1000.0), to_timestamp(clicked / 1000.0)
     from jsonb_to_recordset($2::jsonb) as x(campaign uuid, custom text, "user" uuid, "isTest" bool, sent bigint, delivered bigint, opened bigint, clicked bigint)
     join campaigns c on c.id = x.campaign`,
    persons.flatMap(({ id, customUserId, messages }) =>
      messages.map(({ campaignId, ...times }) => ({
        campaign: campaignId,
        custom: customUserId,
        user: id,
        ...times,
      })),
    ),
  );
}

async function insertEvents(db: Database, { applicationId, persons }: Population): Promise<void> {
  await db.sql.query(
    `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at, attributes, revenue, currency, is_proved)
     select $3::uuid, n, $1, "userId", "messageId", kind, slug, time, to_timestamp("receivedAt" / 1000.0), attributes, revenue, currency, "isProved"
     from jsonb_to_recordset($2::jsonb) as x("userId" uuid, "messageId" text, kind text, slug text, time bigint, "receivedAt" bigint, attributes jsonb, revenue float8, currency text, "isProved" bool, n int)`,
    [
      applicationId,
      stringifyExactJson(
        persons.flatMap(({ events }) => events).map((event, n) => ({ ...event, n })),
      ),
      systemIds.uuid(),
    ],
  );
}
