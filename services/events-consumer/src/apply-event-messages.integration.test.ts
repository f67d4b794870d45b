import { afterAll, describe, expect, test } from '@jest/globals';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { createDefinition } from '@tidings/events/definitions/definitions';
import { listUserEvents } from '@tidings/events/user-events';
import { readUser } from '@tidings/people/users';
import { parseExactJson, systemIds } from '@tidings/platform';
import { actionMessage, connectTestDatabase, userMessage } from '@tidings/testing';
import { eventTenant } from './testing/event-tenant.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const newTenant = () => eventTenant(db);

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
