import { afterAll, describe, expect, test } from '@jest/globals';
import type { IngestRecord } from '@tidings/contracts';
import { createDefinition, listDefinitions } from '@tidings/events/definitions/definitions';
import { readIngestReport } from '@tidings/events/ingest-log/ingest-report';
import { listUserEvents } from '@tidings/events/user-events';
import { readUser } from '@tidings/people/users';
import { parseExactJson, systemIds } from '@tidings/platform';
import {
  actionMessage,
  applyRecords,
  connectTestDatabase,
  createTestApplication,
  ingestRecord,
  userMessage,
} from '@tidings/testing';
import { applyUserMessages } from '@tidings/users-consumer/apply-user-messages';
import { applyEventMessages } from './apply-event-messages.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

async function newTenant() {
  const { applicationId } = await createTestApplication(db);
  const usersConsumer = { consumer: 'users', apply: applyUserMessages } as const;
  const eventsConsumer = { consumer: 'events', apply: applyEventMessages } as const;
  const record = (overrides: Partial<IngestRecord> = {}): IngestRecord =>
    ingestRecord({ applicationId, customUserId: 'ada', ...overrides });
  const report = ({ requestId }: IngestRecord) => readIngestReport(db, applicationId, requestId);
  return {
    applicationId,
    record,
    report,
    applyUsers: (...records: readonly IngestRecord[]) => applyRecords(db, usersConsumer, records),
    applyEvents: (...records: readonly IngestRecord[]) => applyRecords(db, eventsConsumer, records),
    register: () => applyRecords(db, usersConsumer, [record({ messages: [userMessage()] })]),
    async events(customUserId = 'ada') {
      const user = await readUser(db, applicationId, customUserId);
      return user === null ? null : (await listUserEvents(db, user.userId, { limit: 500 })).events;
    },
    async outcomes(sent: IngestRecord): Promise<string[]> {
      return ((await report(sent))?.messages ?? []).map(({ outcome, reason }) =>
        reason === undefined ? outcome : `${outcome} ${reason}`,
      );
    },
    async countEvents(): Promise<number> {
      const { rows } = await db.sql.query<{ n: string }>(
        'select count(*) as n from events where application_id = $1',
        [applicationId],
      );
      return Number(rows[0]?.n);
    },
  };
}

const messageOfText = (text: string): IngestRecord['messages'][number] =>
  parseExactJson(text) as IngestRecord['messages'][number];

describe('an event', () => {
  test('keeps time and attributes exactly as sent', async () => {
    const { record, applyEvents, register, events } = await newTenant();
    const attributes = `{"date":"2026-01-02T03:04:05.006Z","no date":"2024-13-45T00:00:00.000Z","integer":-3,"double":0.1,"big":9007199254740993,"bigger":123456789012345678901234567890,
      "long":9223372036854775807,"none":null,"flag":true,"list":[1,[null,"x"],{"deep":[{}]}],"__proto__":{"polluted":1},"a.b":1,"":2,"👁":"‮rtl"}`;
    const times = [
      '9223372036854775807',
      '9007199254740993',
      '9007199254740992',
      '0',
      '-1',
      '-9223372036854775808',
    ];

    await register();
    await applyEvents(
      record({
        messages: times.map((time, index) =>
          messageOfText(
            `{"type":"action","id":"m${index}","time":${time},"customName":"viewed","attributes":${attributes}}`,
          ),
        ),
      }),
    );

    const stored = (await events()) ?? [];
    expect(stored.map(({ time }) => String(time))).toEqual(times);
    for (const event of stored) expect(event.attributes).toEqual(parseExactJson(attributes));
    expect(Object.keys(stored[0]?.attributes ?? {})).toContain('__proto__');
    expect({}).not.toHaveProperty('polluted');
  });

  test.each([
    ['1', 1],
    ['-2.5', -2.5],
    ['0', 0],
    ['0.1', 0.1],
    ['9007199254740993', 9007199254740992],
    ['1.7976931348623157e308', Number.MAX_VALUE],
  ])('of revenue %s keeps its amount and currency, and no attributes', async (amount, expected) => {
    const { record, applyEvents, register, events } = await newTenant();

    await register();
    await applyEvents(
      record({
        messages: [
          messageOfText(
            `{"type":"revenue","id":"m1","time":1,"customName":"order","revenue":${amount},"currency":"EUR","attributes":{"x":1}}`,
          ),
        ],
      }),
    );

    expect(await events()).toEqual([
      {
        id: 'm1',
        type: 'revenue',
        name: 'order',
        slug: expect.any(String),
        time: 1,
        receivedAt: expect.any(Number),
        revenue: expected,
        currency: 'EUR',
      },
    ]);
  });

  test('named by slug and one named by custom name are the same event', async () => {
    const { applicationId, record, applyEvents, register, events, outcomes } = await newTenant();
    const definition = await createDefinition(db, {
      applicationId,
      name: 'viewed',
      kind: 'action',
    });
    const slug = typeof definition === 'object' ? definition.slug : '';
    const sent = record({
      messages: [
        actionMessage({ name: slug, customName: null, time: 2 }),
        actionMessage({ customName: 'viewed', name: null, time: 1 }),
      ],
    });

    await register();
    await applyEvents(sent);

    expect(await outcomes(sent)).toEqual(['processed', 'processed']);
    expect((await events())?.map(({ name, slug: own }) => [name, own])).toEqual([
      ['viewed', slug],
      ['viewed', slug],
    ]);
  });

  test('of business without a user is processed at once', async () => {
    const { record, applyEvents, outcomes, report, countEvents } = await newTenant();
    const sent = record({
      customUserId: null,
      messages: [actionMessage({ type: 'businessEvent' })],
    });

    await applyEvents(sent);

    expect(await outcomes(sent)).toEqual(['processed']);
    expect(await report(sent)).toMatchObject({ complete: true });
    expect(await countEvents()).toBe(1);
  });

  test('with a serviceUserId is found for the person it is merged into', async () => {
    const { record, applyEvents, applyUsers, events } = await newTenant();
    const [phone, laptop] = [systemIds.uuid(), systemIds.uuid()];

    await applyEvents(
      record({
        customUserId: null,
        serviceUserId: phone,
        messages: [actionMessage({ id: 'phone', time: 3 })],
      }),
      record({
        customUserId: null,
        serviceUserId: laptop,
        messages: [actionMessage({ id: 'laptop', time: 2 })],
      }),
      record({ messages: [actionMessage({ id: 'own', time: 1 })] }),
    );
    await applyUsers(
      ...[phone, laptop].map((serviceUserId) =>
        record({ serviceUserId, messages: [userMessage()] }),
      ),
    );

    expect((await events())?.map(({ id }) => id)).toEqual(['phone', 'laptop', 'own']);
  });
});

describe('the reason', () => {
  type Case = {
    readonly ids?: Partial<IngestRecord>;
    readonly fields: Record<string, unknown>;
    readonly is: string;
  };
  /**
   * Every message has the id of a processed one and, with `knownUser`, its time: a later rule would
   * apply too.
   */
  const knownUser = systemIds.uuid();
  const cases: readonly [string, Case][] = [
    [
      'an invalid identity comes before an empty name',
      { ids: { customUserId: '' }, fields: { customName: '' }, is: 'dropped empty_user_id' },
    ],
    [
      'an invalid identity comes before an unknown slug',
      {
        ids: { serviceUserId: 'x' },
        fields: { name: 'unknown', customName: null },
        is: 'dropped invalid_service_user_id',
      },
    ],
    [
      'an identity conflict comes before a duplicate',
      {
        ids: { customUserId: 'eve', serviceUserId: knownUser },
        fields: {},
        is: 'dropped identity_conflict',
      },
    ],
    [
      'an empty name comes before a duplicate',
      { fields: { customName: ' \t\u00a0' }, is: 'dropped empty_name' },
    ],
    [
      'an empty slug comes before a duplicate',
      { fields: { name: '', customName: null }, is: 'dropped empty_name' },
    ],
    [
      'an unknown slug comes before a duplicate',
      { fields: { name: 'unknown', customName: null }, is: 'dropped unknown_slug' },
    ],
    [
      'a slug of another kind comes before a duplicate',
      { fields: { name: 'order', customName: null }, is: 'dropped slug_kind_mismatch' },
    ],
    [
      'a discarded definition comes before a duplicate',
      { fields: { customName: 'discarded' }, is: 'dropped definition_discarded' },
    ],
    [
      'a used id comes before a used time',
      { ids: { serviceUserId: knownUser }, fields: {}, is: 'duplicate duplicate_id' },
    ],
    [
      'a used time comes last',
      {
        ids: { serviceUserId: knownUser },
        fields: { id: 'another' },
        is: 'duplicate duplicate_user_time',
      },
    ],
  ];

  test.each(cases)('of %s', async (_, { ids = {}, fields, is }) => {
    const { applicationId, record, applyEvents, outcomes } = await newTenant();
    await db.sql.query(
      `insert into definitions (application_id, slug, kind, name, origin, discarded)
       values ($1, 'order', 'revenue', 'order', 'predefined', false), ($1, 'gone', 'action', 'discarded', 'predefined', true)`,
      [applicationId],
    );
    await applyEvents(
      record({ serviceUserId: knownUser, messages: [actionMessage({ id: 'used', time: 1 })] }),
    );

    const sent = record({ ...ids, messages: [actionMessage({ id: 'used', time: 1, ...fields })] });
    await applyEvents(sent);

    expect(await outcomes(sent)).toEqual([is]);
  });

  test('of a repeated id in a batch: the first message wins, with any outcome; the time of the other stays free', async () => {
    const { record, applyEvents, register, outcomes } = await newTenant();
    const serviceUserId = systemIds.uuid();
    const sent = record({
      serviceUserId,
      messages: [
        actionMessage({ id: 'a', time: 1, customName: '' }),
        actionMessage({ id: 'a', time: 2 }),
        actionMessage({ id: 'b', time: 2 }),
        actionMessage({ id: 'c', time: 2 }),
        actionMessage({ id: 'c', time: 3, name: 'unknown', customName: null }),
      ],
    });
    const later = record({ messages: [actionMessage({ id: 'a' }), actionMessage({ id: 'c' })] });

    await register();
    await applyEvents(sent);
    await applyEvents(later);

    expect(await outcomes(sent)).toEqual([
      'dropped empty_name',
      'duplicate duplicate_id',
      'processed',
      'duplicate duplicate_user_time',
      'dropped unknown_slug',
    ]);
    expect(await outcomes(later)).toEqual(['processed', 'processed']);
  });

  test('of events dropped for their name creates no definition', async () => {
    const { applicationId, record, applyEvents } = await newTenant();

    await applyEvents(
      record({
        messages: [
          actionMessage({ customName: ' ' }),
          actionMessage({ name: 'unknown', customName: null }),
        ],
      }),
      record({ customUserId: '' }),
    );

    expect(await listDefinitions(db, applicationId)).toEqual([]);
  });
});

describe('an event of an unregistered user', () => {
  test('is held, counts as complete, and is processed when the registration arrives', async () => {
    const { record, applyEvents, register, report, outcomes, events } = await newTenant();
    const sent = record({ messages: [actionMessage({ id: 'm1' })] });

    await applyEvents(sent);
    expect(await outcomes(sent)).toEqual(['held unregistered_user']);
    expect(await report(sent)).toMatchObject({ complete: true });
    expect(await events()).toBeNull();
    await register();

    expect(await outcomes(sent)).toEqual(['processed']);
    expect((await events())?.map(({ id }) => id)).toEqual(['m1']);
  });

  test('still uses up its id', async () => {
    const { record, applyEvents, outcomes } = await newTenant();
    const again = record({ messages: [actionMessage({ id: 'm1' })] });

    await applyEvents(record({ messages: [actionMessage({ id: 'm1' })] }));
    await applyEvents(again);

    expect(await outcomes(again)).toEqual(['duplicate duplicate_id']);
  });

  test.each(['users first', 'events first'])(
    'that its own batch registers is never shown as held (%s)',
    async (order) => {
      const { record, applyEvents, applyUsers, report, outcomes, events } = await newTenant();
      const sent = record({
        messages: [
          actionMessage({ id: 'm1' }),
          userMessage(),
          actionMessage({ id: 'm2', customName: '' }),
        ],
      });
      const [first, second] =
        order === 'users first' ? [applyUsers, applyEvents] : [applyEvents, applyUsers];

      expect(await report(sent)).toBeNull();
      await first(sent);
      expect(await report(sent)).toMatchObject({ complete: false });
      expect(await outcomes(sent)).toEqual(
        order === 'users first'
          ? ['pending', 'processed', 'pending']
          : ['pending', 'pending', 'dropped empty_name'],
      );
      await second(sent);

      expect(await outcomes(sent)).toEqual(['processed', 'processed', 'dropped empty_name']);
      expect(await report(sent)).toMatchObject({ complete: true });
      expect((await events())?.map(({ id }) => id)).toEqual(['m1']);
    },
  );

  test('whose own batch fails to register the user is held once that is known', async () => {
    const { record, applyEvents, applyUsers, outcomes } = await newTenant();
    const serviceUserId = systemIds.uuid();
    const sent = record({
      customUserId: null,
      serviceUserId,
      messages: [actionMessage(), userMessage()],
    });

    await applyEvents(sent);
    expect(await outcomes(sent)).toEqual(['pending', 'pending']);
    await applyUsers(sent);

    expect(await outcomes(sent)).toEqual(['held unregistered_user', 'processed']);
  });
});

test('a redelivered record changes nothing, alone or beside others', async () => {
  const { record, applyEvents, applyUsers, outcomes, countEvents } = await newTenant();
  const sent = record({
    messages: [userMessage(), actionMessage(), actionMessage({ customName: '' })],
  });
  const other = record();
  const expected = ['processed', 'processed', 'dropped empty_name'];

  for (const batch of [[sent], [sent], [other, sent, sent, other], [sent, other]]) {
    await applyEvents(...batch);
    await applyUsers(...batch);
    expect(await outcomes(sent)).toEqual(expected);
  }

  expect(await countEvents()).toBe(2);
});

test('a report of another application’s request is not found', async () => {
  const [tenant, other] = [await newTenant(), await newTenant()];
  const sent = tenant.record();

  await tenant.applyEvents(sent);

  expect(await other.report(sent)).toBeNull();
});

test('a page of a user’s events starts where the last one ended, also among equal times and for merged anonymous users', async () => {
  const { applicationId, record, applyEvents, applyUsers } = await newTenant();
  const serviceUserId = systemIds.uuid();
  const messages = (prefix: string) =>
    Array.from({ length: 10 }, (_, index) =>
      actionMessage({ id: `${prefix}${index}`, time: Math.floor(index / 4) }),
    );
  await applyEvents(record({ messages: messages('a') }), record({ messages: messages('b') }));
  await applyEvents(
    record({
      customUserId: null,
      serviceUserId,
      messages: messages('c').map((message, index) => ({ ...message, time: 100 + index })),
    }),
  );
  await applyUsers(record({ serviceUserId, messages: [userMessage()] }));
  const userId = (await readUser(db, applicationId, 'ada'))?.userId ?? '';

  const all = (await listUserEvents(db, userId, { limit: 100 })).events;
  const paged: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await listUserEvents(db, userId, {
      limit: 3,
      ...(cursor !== undefined && { cursor }),
    });
    expect(page.events.length).toBeLessThanOrEqual(3);
    paged.push(...page.events.map(({ id }) => id));
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }

  expect(paged).toEqual(all.map(({ id }) => id));
  expect(new Set(paged).size).toBe(30);
  expect(all.map(({ time }) => Number(time))).toEqual(
    all.map(({ time }) => Number(time)).sort((a, b) => b - a),
  );
});
