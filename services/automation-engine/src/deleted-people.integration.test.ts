import { afterAll, expect, jest, test } from '@jest/globals';
import { startRun } from '@tidings/automations/start-run';
import { actionMessage, createFakeClock, createOwnDatabase } from '@tidings/testing';
import { readChanges, readUserChangesTopic, SHARDS } from '@tidings/user-changes/changes';
import { deleteUser } from '@tidings/user-data/delete-user';
import { automationRig, cart, mail } from './testing/rig.ts';

// A separate database, because the test scans all of it.
jest.setTimeout(120_000);
const db = await createOwnDatabase();
afterAll(() => db.close());

const PERSON = 'ada';
const CART = 'canary-cart';

/** Columns of any table, those of the log among them, in which a row has a word or an id. */
async function findColumns(word: string): Promise<string[]> {
  const { rows } = await db.sql.query<{ name: string; type: string; column: string }>(
    `select c.oid::regclass::text as name, a.atttypid::regtype::text as type, quote_ident(a.attname) as column
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
       and a.atttypid::regtype::text in ('text', 'uuid', 'character varying', 'json', 'jsonb', 'bytea', 'text[]', 'uuid[]', 'bytea[]') order by 1, 3`,
  );
  const found: string[] = [];
  for (const { name, type, column } of rows) {
    const text = type === 'bytea' ? `encode(${column}, 'escape')` : `${column}::text`;
    const { rowCount } = await db.sql.query(
      `select from ${name} where ${text} ilike '%' || $1 || '%' limit 1`,
      [word],
    );
    if (rowCount !== 0) found.push(`${name.replace(/_\d{6,8}$/, '')}.${column}`);
  }
  return [...new Set(found)];
}

const ofAutomations = (columns: readonly string[]): string[] =>
  columns.filter((column) => /^(automation|delivery_contexts)/.test(column));

async function readAllChanges(): Promise<string> {
  const { topicId } = await readUserChangesTopic(db.sql);
  const changes = [];
  for (let shard = 0; shard < SHARDS; shard += 1)
    changes.push(await readChanges(db.sql, { topicId, shard, from: 0n, max: 1_000 }));
  return JSON.stringify(changes, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}

test('no table has a word or a run of a person who was deleted, and no change ever had one', async () => {
  const rig = await automationRig(db);
  const { applicationId } = rig;
  await rig.register(PERSON, { firstName: 'canary' });
  await rig.define('cartd', 'order');
  const hour = { id: 'hour', delay: '1h' } as const;
  const shown = {
    ...mail('mail1'),
    send: {
      channel: 'EMAIL',
      message: { title: '{{ event.attributes.cart }}', body: '{{ user.email }}' },
    },
  } as const;
  await rig.activate(
    cart([shown, hour], {
      entry: { again: 'always', key: 'cart' },
      exit: [{ event: { kind: 'action', name: 'order' } }],
    }),
  );
  await rig.activate(cart([hour], { trigger: { api: true } }), 'asked');
  await rig.does('cartd', { attributes: { cart: CART } }, PERSON);
  // Refused by its key: there is one already.
  await rig.does('cartd', { attributes: { cart: CART } }, PERSON);
  await startRun(db, {
    applicationId,
    slug: 'asked',
    customUserId: PERSON,
    data: { note: CART },
  });
  await rig.step();
  // Stored, and not read by the engine yet.
  await rig.store({
    customUserId: PERSON,
    messages: [actionMessage({ customName: 'cartd', attributes: { cart: `${CART}-2` } })],
  });
  const { rows } = await db.sql.query<{ id: string }>(
    'select id from users where application_id = $1',
    [applicationId],
  );
  const userId = rows[0]?.id ?? '';

  expect(rig.failures).toEqual([]);
  expect(ofAutomations(await findColumns('canary'))).toEqual([
    'automation_entries.entry_key',
    'automation_runs.data',
    'automation_runs.entry_key',
    'delivery_contexts.event',
  ]);
  expect(ofAutomations(await findColumns(userId))).toEqual([
    'automation_entries.user_id',
    'automation_runs.user_id',
    'automation_triggers.user_id',
    'automation_waits.user_id',
  ]);
  const changes = await readAllChanges();
  expect(changes).toContain(userId);
  expect(changes).not.toContain('canary');

  await deleteUser(db, { applicationId, customUserId: PERSON, clock: createFakeClock() });
  await rig.step();

  expect(await findColumns('canary')).toEqual([]);
  expect(ofAutomations(await findColumns(userId))).toEqual([]);
  expect(rig.failures).toEqual([]);
});
