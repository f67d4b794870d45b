import { afterAll, describe, expect, test } from '@jest/globals';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { parseExactJson, systemIds } from '@tidings/platform';
import { actionMessage, connectTestDatabase, userMessage } from '@tidings/testing';
import { userTenant } from './testing/user-tenant.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const newTenant = () => userTenant(db);

describe('a user message', () => {
  test('with only type, id and time registers its user at the acceptance time', async () => {
    const { record, apply, read, outcomes } = await newTenant();
    const sent = record({ receivedAt: 1_700_000_000_123 });

    await apply(sent);

    expect(await read()).toMatchObject({
      customUserId: 'ada',
      registeredAt: 1_700_000_000_123,
      profile: { customAttributes: {} },
    });
    expect(await outcomes(sent)).toEqual(['processed']);
  });

  test('with a serviceUserId alone updates its user and registers none', async () => {
    const { record, apply, read, outcomes } = await newTenant();
    const serviceUserId = systemIds.uuid();
    const anonymous = record({
      customUserId: null,
      serviceUserId,
      messages: [userMessage({ firstName: 'Ada' })],
    });

    await apply(anonymous);
    expect(await outcomes(anonymous)).toEqual(['processed']);
    expect(await read()).toBeNull();
    await apply(record({ serviceUserId }));

    expect(await read()).toMatchObject({
      serviceUserIds: [serviceUserId],
      profile: { firstName: 'Ada' },
    });
  });

  test('keeps every value as sent', async () => {
    const { record, apply, profile } = await newTenant();
    const text = `{"type":"user","id":"m1","time":9223372036854775807,"firstName":"\\ud83d\\ude00 عربي","birthday":-9223372036854775808,
      "customAttributes":{"__proto__":{"polluted":true},"a.b":1.5,"$x":9007199254740993,"date":"2026-01-02T03:04:05.006Z","no date":"2024-11-20",
      "nested":{"list":[1,null,{"deep":false}],"empty":{}},"":"empty key"}}`;

    await apply(record({ messages: [parseExactJson(text) as IngestRecord['messages'][number]] }));

    const {
      type: _type,
      id: _id,
      time: _time,
      ...expected
    } = parseExactJson(text) as Record<string, unknown>;
    expect(await profile()).toEqual(expected);
    expect(Object.keys((await profile())?.['customAttributes'] ?? {})).toContain('__proto__');
    expect({}).not.toHaveProperty('polluted');
  });

  test('keeps absent fields, clears null ones, and merges custom attributes by key', async () => {
    const { record, apply, profile } = await newTenant();

    await apply(
      record({
        messages: [
          userMessage({
            time: 1,
            firstName: 'Ada',
            city: 'London',
            customAttributes: { plan: 'free', seats: 1 },
          }),
        ],
      }),
    );
    await apply(
      record({
        messages: [
          userMessage({ time: 2, city: null, customAttributes: { seats: null, beta: true } }),
        ],
      }),
    );

    expect(await profile()).toEqual({
      firstName: 'Ada',
      customAttributes: { plan: 'free', beta: true },
    });
  });

  test('older than the stored values is processed, reports it, and still registers', async () => {
    const { record, apply, profile, outcomes } = await newTenant();
    const serviceUserId = systemIds.uuid();
    const late = record({
      serviceUserId,
      messages: [userMessage({ time: 1, firstName: 'Augusta', city: 'London' })],
    });

    await apply(
      record({
        customUserId: null,
        serviceUserId,
        messages: [userMessage({ time: 2, firstName: 'Ada' })],
      }),
    );
    await apply(late);

    expect(await profile()).toMatchObject({ firstName: 'Ada', city: 'London' });
    expect(await outcomes(late)).toEqual(['processed stale_profile_field']);
  });

  test('more than ten minutes ahead counts at its acceptance, so that a wrong clock does not win for ever', async () => {
    const { record, apply, profile } = await newTenant();
    const now = Date.now();

    await apply(
      record({
        receivedAt: now,
        messages: [userMessage({ time: now + 600_001, firstName: 'Ahead', city: 'Ahead' })],
      }),
    );
    await apply(
      record({ receivedAt: now + 1, messages: [userMessage({ time: now + 1, firstName: 'Ada' })] }),
    );
    await apply(
      record({
        receivedAt: now + 2,
        messages: [userMessage({ time: now + 600_000, city: 'London' })],
      }),
    );
    await apply(
      record({ receivedAt: now + 3, messages: [userMessage({ time: now + 3, city: 'Paris' })] }),
    );

    expect(await profile()).toMatchObject({ firstName: 'Ada', city: 'London' });
  });

  test('is exempt from the rule of user and time', async () => {
    const { record, apply, profile, outcomes } = await newTenant();
    const serviceUserId = systemIds.uuid();
    const both = record({
      serviceUserId,
      messages: [
        userMessage({ time: 1, firstName: 'Ada' }),
        userMessage({ time: 1, city: 'London' }),
      ],
    });

    await apply(both);

    expect(await outcomes(both)).toEqual(['processed', 'processed']);
    expect(await profile()).toMatchObject({ firstName: 'Ada', city: 'London' });
  });

  test('with a used id is a duplicate and changes nothing', async () => {
    const { record, apply, profile, outcomes } = await newTenant();
    const [first, again] = ['Ada', 'Eve'].map((firstName, time) =>
      record({ messages: [userMessage({ id: 'm1', time, firstName })] }),
    );

    await apply(first ?? record());
    await apply(again ?? record());

    expect(await outcomes(again ?? record())).toEqual(['duplicate duplicate_id']);
    expect(await profile()).toMatchObject({ firstName: 'Ada' });
  });

  test('after an event with the same id in its batch is a duplicate, even if the event was dropped', async () => {
    const { record, apply, outcomes } = await newTenant();
    const sent = record({
      messages: [actionMessage({ id: 'm1', customName: '' }), userMessage({ id: 'm1' })],
    });

    await apply(sent);

    expect(await outcomes(sent)).toEqual(['pending', 'duplicate duplicate_id']);
  });

  test.each<[string, Partial<IngestRecord>, string]>([
    ['an empty customUserId', { customUserId: '' }, 'dropped empty_user_id'],
    ['a malformed serviceUserId', { serviceUserId: 'unknown' }, 'dropped invalid_service_user_id'],
  ])('with %s is dropped and uses up no id', async (_, ids, outcome) => {
    const { record, apply, outcomes } = await newTenant();
    const messages = [userMessage({ id: 'm1' }), userMessage({ id: 'm1' })];
    const [refused, later] = [record({ ...ids, messages }), record({ messages })];

    await apply(refused);
    await apply(later);

    expect(await outcomes(refused)).toEqual([outcome, outcome]);
    expect(await outcomes(later)).toEqual(['processed', 'duplicate duplicate_id']);
  });

  test('with another user’s serviceUserId is dropped and changes neither user', async () => {
    const { record, apply, read, outcomes } = await newTenant();
    const serviceUserId = systemIds.uuid();
    await apply(record({ serviceUserId, messages: [userMessage({ firstName: 'Ada' })] }));

    const conflict = record({
      customUserId: 'eve',
      serviceUserId,
      messages: [userMessage({ firstName: 'Eve' })],
    });
    await apply(conflict);

    expect(await outcomes(conflict)).toEqual(['dropped identity_conflict']);
    expect(await read('eve')).toBeNull();
    expect(await read()).toMatchObject({
      profile: { firstName: 'Ada' },
      serviceUserIds: [serviceUserId],
    });
  });
});

test('a redelivered record changes nothing, not even its receipts', async () => {
  const { record, apply, read, outcomes } = await newTenant();
  const sent = record({
    messages: [
      userMessage({ id: 'm1', time: 1, firstName: 'Ada' }),
      userMessage({ id: 'm2', time: 0, firstName: 'Augusta' }),
    ],
  });

  await apply(sent);
  const before = await read();
  await apply(sent);
  await apply(sent, sent);

  expect(await read()).toEqual(before);
  expect(await outcomes(sent)).toEqual(['processed', 'processed stale_profile_field']);
});
