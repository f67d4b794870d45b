import { expect, test } from '@jest/globals';
import { migrate } from '@tidings/postgres/migrate';
import {
  digestCatalog,
  onDatabase,
  readCatalog,
  withEmptyDatabase,
} from '@tidings/postgres/migrations/testing';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { releasedSchema } from './released-schema.ts';

const FOLDER = join(import.meta.dirname, 'released');
const files = readdirSync(FOLDER).filter((file) => file.endsWith('.sql'));
const CHANGELOG = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');
const released = [...CHANGELOG.matchAll(/^## (\d+\.\d+\.\d+)\b/gm)].map(
  ([, version = '']) => version,
);
const MIGRATIONS_TIMEOUT_MS = 60_000;

/** Rows in the tables that later versions change: a migration of an empty table proves little. */
const ROWS = `
  insert into applications (id, name) values ('01900000-0000-7000-8000-000000000001', 'Shop');
  insert into users (id, application_id, custom_user_id, registered_at, fields)
    select uuidv7(), '01900000-0000-7000-8000-000000000001', 'user-' || n, now(),
      jsonb_build_object('email', 'user-' || n || '@example.com')
    from generate_series(1, 100) n;
  insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at)
    select uuidv7(), 0, application_id, id, 'm', 'action', 'viewed', 1795000000000, now() from users;
  insert into channel_settings (application_id, channel, settings, status)
    values ('01900000-0000-7000-8000-000000000001', 'SMS', '{"accountSid": "AC1"}', 'ready');
  insert into campaigns (id, application_id, channel, lane, purpose, source, status, message,
      recipients_requested, recipients_unique, created_by, request_id, created_at, expires_at)
    values ('01900000-0000-7000-8000-000000000002', '01900000-0000-7000-8000-000000000001', 'SMS', 'bulk',
      'marketing', 'api', 'sending', '{"body": "Hello"}', 100, 100, 'key', uuidv7(), now(), now() + interval '1 day');
  insert into campaign_chunks (campaign_id, chunk_no, lane) values ('01900000-0000-7000-8000-000000000002', 0, 'bulk');
  insert into deliveries (campaign_id, chunk_no, application_id, channel, custom_user_id, user_id, state)
    select '01900000-0000-7000-8000-000000000002', 0, application_id, 'SMS', custom_user_id, id, 'pending' from users;
`;
const COUNTS = `
  select (select count(*) from users)::int as users, (select count(*) from events)::int as events,
    (select count(*) from deliveries)::int as deliveries`;

test('the schema of each released version is here', () => {
  expect(files.toSorted()).toEqual(released.map((version) => `${version}.sql`).toSorted());
});

test(
  'a database of each released version, and of the next one, becomes one of this version, with its rows',
  async () => {
    await withEmptyDatabase(async (fresh) => {
      await migrate(fresh);
      const wanted = digestCatalog(await readCatalog(fresh));
      const schemas = new Map(
        files.map((file) => [file, readFileSync(join(FOLDER, file), 'utf8')]),
      );
      schemas.set('next', await releasedSchema('next'));
      for (const [file, schema] of schemas)
        await withEmptyDatabase(async (old) => {
          await onDatabase(old, (client) => client.query(schema + ROWS));

          await migrate(old);

          expect({ file, ...digestCatalog(await readCatalog(old)) }).toEqual({ file, ...wanted });
          const { rows } = await onDatabase(old, (client) => client.query<object>(COUNTS));
          expect(rows).toEqual([{ users: 100, events: 100, deliveries: 100 }]);
        });
    });
  },
  MIGRATIONS_TIMEOUT_MS,
);
