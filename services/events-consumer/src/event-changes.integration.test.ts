import { afterAll, describe, expect, test } from '@jest/globals';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { mergeDefinition } from '@tidings/events/definitions/change-definitions';
import { readRecords } from '@tidings/partitioned-log/read';
import { systemIds } from '@tidings/platform';
import { actionMessage, changesOf, createOwnDatabase, userMessage } from '@tidings/testing';
import { readUserChangesTopic, SHARDS } from '@tidings/user-changes/changes';
import { PROFILE, REGISTERED, setListens } from '@tidings/user-changes/listens';
import { applyEventMessages } from './apply-event-messages.ts';
import { eventTenant } from './testing/event-tenant.ts';

// A separate database: it is compared how many changes there are, and read what is in all of them.
const db = await createOwnDatabase();
afterAll(() => db.close());

/** All values of the log, as text. */
async function readLog(): Promise<string[]> {
  const { topicId } = await readUserChangesTopic(db.sql);
  const values: string[] = [];
  for (let partition = 0; partition < SHARDS; partition += 1) {
    const options = { topicId, partition, from: 0n, bytesMax: 1e9 };
    for (const { key, value } of await readRecords(db.sql, options))
      values.push(`${key?.toString()} ${value.toString()}`);
  }
  return values;
}
const countChanges = async (): Promise<number> => (await readLog()).length;

/** An application that has events of these names and listens to the first of them. */
async function listeningTenant(...names: readonly string[]) {
  const tenant = await eventTenant(db);
  const { applicationId, record, applyEvents } = tenant;
  await applyEvents(
    record({
      customUserId: null,
      serviceUserId: systemIds.uuid(),
      messages: names.map((customName) => actionMessage({ customName })),
    }),
  );
  const slugOf = async (name: string): Promise<string> => {
    const { rows } = await db.sql.query<{ slug: string }>(
      'select slug from definitions where application_id = $1 and name = $2',
      [applicationId, name],
    );
    return rows[0]?.slug ?? 'none';
  };
  const slug = await slugOf(names[0] ?? '');
  await setListens(db.sql, applicationId, [slug]);
  return {
    ...tenant,
    slug,
    slugOf,
    listenTo: (...more: readonly string[]) => setListens(db.sql, applicationId, more),
    async userOf(ids: Partial<IngestRecord> = {}): Promise<string> {
      const { rows } = await db.sql.query<{ id: string }>(
        `select u.id from users u left join user_identities i on i.user_id = u.id
         where u.application_id = $1 and (u.custom_user_id = $2 or i.service_user_id = $3) limit 1`,
        [applicationId, ids.serviceUserId == null ? 'ada' : null, ids.serviceUserId ?? null],
      );
      return rows[0]?.id ?? 'none';
    },
  };
}

let time = Date.now();
/** Each at a time of its own: two of one visitor at one time are duplicates. */
const cart = (overrides: Readonly<Record<string, unknown>> = {}) =>
  actionMessage({ customName: 'cart', time: (time += 1), ...overrides });

describe('an accepted event', () => {
  test('is appended if its application listens to it, with the key by which it is stored', async () => {
    const { record, register, applyEvents, slug, userOf } = await listeningTenant('cart', 'other');
    await register();
    const sent = record({
      messages: [actionMessage({ customName: 'other' }), cart(), cart()],
    });

    await applyEvents(sent);

    const change = {
      kind: 'event',
      userId: await userOf(),
      slug,
      requestId: sent.requestId,
      receivedAt: sent.receivedAt,
      isProved: true,
      isRegistered: true,
      hasUserMessages: false,
    };
    expect(await changesOf(db, change.userId)).toEqual([
      { ...change, messageIndex: 1 },
      { ...change, messageIndex: 2 },
    ]);
    const { rows } = await db.sql.query<{ index: number }>(
      `select message_index as index from events
       where request_id = $1 and message_index = 2 and received_at = to_timestamp($2::float8 / 1000)
         and user_id = $3 and slug = $4 and is_proved`,
      [change.requestId, change.receivedAt, change.userId, slug],
    );
    expect(rows).toHaveLength(1);
  });

  test('is not appended where nothing listens, or something else, or without a user', async () => {
    const { record, register, applyEvents, listenTo, slug } = await listeningTenant('cart');
    await register();
    await listenTo();
    const before = await countChanges();
    const quiet = await eventTenant(db);

    await applyEvents(record({ messages: [cart()] }));
    await listenTo(REGISTERED, PROFILE, 'another');
    await applyEvents(record({ messages: [cart()] }));
    await quiet.applyEvents(quiet.record({ messages: [cart()] }));
    await listenTo(slug);
    const withoutUser = { customUserId: null, messages: [cart({ type: 'businessEvent' })] };
    await applyEvents(record(withoutUser));

    expect(await countChanges()).toBe(before);
  });

  test.each(['the same record', 'another record with the same id'])(
    'is appended once: %s comes again',
    async (what) => {
      const { record, register, applyEvents, userOf } = await listeningTenant('cart');
      await register();
      const sent = record({ messages: [cart({ id: 'm1' })] });
      await applyEvents(sent);

      await applyEvents(
        what === 'the same record' ? sent : record({ messages: [cart({ id: 'm1' })] }),
      );

      expect(await changesOf(db, await userOf())).toHaveLength(1);
    },
  );

  test('leaves nothing if its transaction is rolled back', async () => {
    const { record, register, applyEvents } = await listeningTenant('cart');
    await register();
    const before = await countChanges();
    const sent = { ...record({ messages: [cart()] }), isFirstSeen: true };

    await expect(
      db.transaction(async (sql) => {
        await applyEventMessages(sql, [sent]);
        throw new Error('the consumer dies');
      }),
    ).rejects.toThrow('the consumer dies');
    expect(await countChanges()).toBe(before);

    await applyEvents(sent);
    expect(await countChanges()).toBe(before + 1);
  });

  test('says what it stands beside: `user` messages, a place among rejected ones, a public key', async () => {
    const { record, register, applyEvents, userOf } = await listeningTenant('cart');
    await register();
    await applyEvents(
      record({ messages: [userMessage(), cart()] }),
      record({ messages: [cart()], messageIndexes: [7] }),
      record({ messages: [cart()], keyType: 'client' }),
    );

    expect(await changesOf(db, await userOf())).toMatchObject([
      { messageIndex: 1, isProved: true, hasUserMessages: true },
      { messageIndex: 7, isProved: true, hasUserMessages: false },
      { messageIndex: 0, isProved: false, hasUserMessages: false },
    ]);
  });

  test('of a definition that was merged is heard by the one that it was merged into, and by its own', async () => {
    const tenant = await listeningTenant('basket', 'cart');
    const { applicationId, record, register, applyEvents, slugOf, slug, userOf } = tenant;
    await register();
    const into = await slugOf('cart');

    await mergeDefinition(db, { applicationId, slug, into });
    await applyEvents(record({ messages: [actionMessage({ customName: 'basket' })] }));

    expect(await changesOf(db, await userOf())).toMatchObject([{ slug: into }]);
  });
});

describe('an event of somebody who is not registered', () => {
  test('is appended, and the registration after it', async () => {
    const tenant = await listeningTenant('cart');
    const { record, register, applyEvents, listenTo, slug, userOf } = tenant;
    await listenTo(slug, REGISTERED);
    await applyEvents(record({ messages: [cart()] }));
    await register();
    await register();

    expect(await changesOf(db, await userOf())).toMatchObject([
      { kind: 'event', isRegistered: false },
      { kind: 'registered' },
    ]);
  });

  test('is in the shard of the visitor, and after a merge in that of the person', async () => {
    const tenant = await listeningTenant('cart');
    const { record, register, applyEvents, listenTo, slug, userOf } = tenant;
    await register();
    await listenTo(slug, REGISTERED, PROFILE);
    const serviceUserId = systemIds.uuid();
    const visit = () => record({ customUserId: null, serviceUserId, messages: [cart()] });
    await applyEvents(visit());
    const visitor = await userOf({ serviceUserId });

    await applyEvents(record({ serviceUserId, messages: [cart()] }));
    await applyEvents(visit());

    const userId = await userOf();
    expect(visitor).not.toBe(userId);
    expect(await changesOf(db, visitor)).toMatchObject([{ kind: 'event', isRegistered: false }]);
    expect(await changesOf(db, userId)).toMatchObject([
      { kind: 'merged', anonymousId: visitor },
      { kind: 'profile' },
      { kind: 'event', isRegistered: true },
      { kind: 'event', isRegistered: true },
    ]);
  });

  test('whom a later record of the same batch merges is in the shard of the person', async () => {
    const { record, register, applyEvents, userOf } = await listeningTenant('cart');
    await register();
    const serviceUserId = systemIds.uuid();

    await applyEvents(
      record({ customUserId: null, serviceUserId, messages: [cart()] }),
      record({ serviceUserId, messages: [cart()] }),
    );

    expect(await changesOf(db, await userOf())).toMatchObject([
      { kind: 'event', isRegistered: false },
      { kind: 'event', isRegistered: true },
    ]);
  });
});

test('no word of a user is in any change', async () => {
  const word = `canary${systemIds.uuid().replaceAll('-', '')}`;
  const tenant = await listeningTenant(`${word} name`);
  const { record, applyEvents, applyUsers, listenTo, slug } = tenant;
  await listenTo(slug, REGISTERED, PROFILE);
  const sent = record({
    customUserId: `${word} id`,
    serviceUserId: systemIds.uuid(),
    messages: [
      userMessage({ id: `${word} m1`, firstName: word, customAttributes: { note: word } }),
      actionMessage({
        id: `${word} m2`,
        customName: `${word} name`,
        attributes: { [word]: word },
      }),
    ],
  });
  const before = await countChanges();
  await applyEvents(sent);
  await applyUsers(sent);

  const log = await readLog();
  expect(log.length).toBe(before + 3);
  expect(log.filter((value) => value.includes('canary'))).toEqual([]);
});
