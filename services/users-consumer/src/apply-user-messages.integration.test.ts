import { afterAll, describe, expect, test } from '@jest/globals';
import type { IngestRecord } from '@tidings/contracts';
import { readIngestReport } from '@tidings/events/ingest-log/ingest-report';
import { identifyDevice, logOutDevice, registerDevice } from '@tidings/people/devices/device-users';
import { updateApplication } from '@tidings/people/update-application';
import { readUser } from '@tidings/people/users';
import { parseExactJson, systemClock, systemIds } from '@tidings/platform';
import {
  actionMessage,
  applyRecords,
  connectTestDatabase,
  createTestApplication,
  ingestRecord,
  userMessage,
} from '@tidings/testing';
import { applyUserMessages } from './apply-user-messages.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

async function newTenant() {
  const { applicationId } = await createTestApplication(db);
  return {
    applicationId,
    async e164(): Promise<string | null> {
      const { rows } = await db.sql.query<{ e164: string | null }>(
        "select phone_e164 as e164 from users where application_id = $1 and custom_user_id = 'ada'",
        [applicationId],
      );
      return rows[0]?.e164 ?? null;
    },
    record: (overrides: Partial<IngestRecord> = {}): IngestRecord =>
      ingestRecord({ applicationId, customUserId: 'ada', messages: [userMessage()], ...overrides }),
    apply: (...records: readonly IngestRecord[]) =>
      applyRecords(db, { consumer: 'users', apply: applyUserMessages }, records),
    read: (customUserId = 'ada') => readUser(db, applicationId, customUserId),
    async profile() {
      return (await readUser(db, applicationId, 'ada'))?.profile;
    },
    /** Outcome and, if any, reason of each message. */
    async outcomes({ requestId }: IngestRecord): Promise<string[]> {
      const report = await readIngestReport(db, applicationId, requestId);
      return (report?.messages ?? []).map(({ outcome, reason }) =>
        reason === undefined ? outcome : `${outcome} ${reason}`,
      );
    },
  };
}

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

describe('a Client key without a proof', () => {
  const byPage = (
    record: (overrides: Partial<IngestRecord>) => IngestRecord,
    fields: Readonly<Record<string, unknown>>,
  ): IngestRecord => record({ keyType: 'client', messages: [userMessage(fields)] });

  test('changes nothing that a Server key has set or cleared, at any time, and sets no contact', async () => {
    const { record, apply, profile, outcomes } = await newTenant();
    const ahead = Date.now() + 9 * 60_000;
    const first = byPage(record, {
      time: 9,
      email: 'eve@example.org',
      hashedEmail: 'h',
      phoneNumber: '+15005550006',
      firstName: 'Eve',
    });
    const refused = byPage(record, {
      time: ahead,
      firstName: 'Eve',
      city: 'Paris',
      customAttributes: { plan: 'enterprise', vip: true },
    });

    await apply(first);
    expect(await profile()).toEqual({ firstName: 'Eve', customAttributes: {} });
    await apply(
      record({
        messages: [userMessage({ time: 1, firstName: 'Ada', customAttributes: { plan: 'free' } })],
      }),
    );
    await apply(refused);
    await apply(record({ messages: [userMessage({ time: Date.now(), city: 'London' })] }));

    expect(await outcomes(first)).toEqual(['processed client_key_field']);
    expect(await outcomes(refused)).toEqual(['processed client_key_field']);
    expect(await profile()).toEqual({
      firstName: 'Ada',
      city: 'London',
      customAttributes: { plan: 'free', vip: true },
    });
  });

  test('cannot change a person’s address through an anonymous user either', async () => {
    const { record, apply, profile, outcomes } = await newTenant();
    const serviceUserId = systemIds.uuid();

    await apply(record({ messages: [userMessage({ time: 1, email: 'ada@example.com' })] }));
    await apply(
      record({
        keyType: 'client',
        customUserId: null,
        serviceUserId,
        messages: [userMessage({ time: 9, email: 'eve@example.org', city: 'Paris' })],
      }),
    );
    const claim = record({ keyType: 'client', serviceUserId });
    await apply(claim);
    expect(await outcomes(claim)).toEqual(['processed identity_unproved']);
    expect(await profile()).toEqual({ email: 'ada@example.com', customAttributes: {} });

    await apply(record({ serviceUserId }));
    expect(await profile()).toMatchObject({ email: 'ada@example.com', city: 'Paris' });
  });

  test('sets no contact of an unregistered customUserId either', async () => {
    const { record, apply, read, profile } = await newTenant();
    await apply(byPage(record, { email: 'eve@example.org' }));
    expect(await read()).toMatchObject({ customUserId: 'ada' });

    await apply(record());

    expect(await profile()).toEqual({ customAttributes: {} });
  });

  test('sets contacts where the application allows it', async () => {
    const { applicationId, record, apply, profile, outcomes } = await newTenant();
    const sent = byPage(record, { time: 2, email: 'new@example.com', firstName: 'Eve' });
    await apply(
      record({ messages: [userMessage({ time: 1, email: 'ada@example.com', firstName: 'Ada' })] }),
    );

    await updateApplication(db, applicationId, { settings: { clientKeysChangeContacts: true } });
    await apply(sent);

    expect(await outcomes(sent)).toEqual(['processed']);
    expect(await profile()).toMatchObject({ email: 'new@example.com', firstName: 'Eve' });
  });
});

describe('an anonymous visitor of a page', () => {
  const visitor = (
    record: (overrides: Partial<IngestRecord>) => IngestRecord,
    serviceUserId: string,
    fields: Readonly<Record<string, unknown>>,
  ): IngestRecord =>
    record({
      keyType: 'client',
      customUserId: null,
      serviceUserId,
      messages: [userMessage(fields)],
    });

  test('sets own contacts, which are kept for the person that the device proves', async () => {
    const { applicationId, record, apply, profile } = await newTenant();
    const device = { applicationId, deviceId: 'd1' };
    const { serviceUserId } = await registerDevice(db, systemClock, {
      ...device,
      facts: { kind: 'none', address: null },
      customUserId: null,
    });
    await apply(record({ messages: [userMessage({ time: 1, phoneNumber: '+15005550006' })] }));
    await apply(
      visitor(record, serviceUserId, {
        time: 9,
        email: 'ada@example.com',
        phoneNumber: '+15005550007',
      }),
    );
    // Naming the person is no proof.
    await apply(record({ keyType: 'client', serviceUserId }));
    expect(await profile()).toEqual({ phoneNumber: '+15005550006', customAttributes: {} });

    await identifyDevice(db, systemClock, { ...device, customUserId: 'ada' });

    expect(await profile()).toEqual({
      email: 'ada@example.com',
      phoneNumber: '+15005550006',
      customAttributes: {},
    });
  });

  test('counts as the person once the device has proved it, like a Server key', async () => {
    const { applicationId, record, apply, profile, outcomes } = await newTenant();
    const { serviceUserId } = await registerDevice(db, systemClock, {
      applicationId,
      deviceId: 'd1',
      facts: { kind: 'none', address: null },
      customUserId: 'ada',
    });
    await apply(
      record({ messages: [userMessage({ time: 1, email: 'old@example.com', firstName: 'Ada' })] }),
    );
    const sent = [
      visitor(record, serviceUserId, { time: 2, email: 'new@example.com' }),
      record({
        keyType: 'client',
        serviceUserId,
        messages: [userMessage({ time: 3, firstName: 'Augusta' })],
      }),
    ];

    await apply(...sent);

    expect(await Promise.all(sent.map(outcomes))).toEqual([['processed'], ['processed']]);
    expect(await profile()).toEqual({
      email: 'new@example.com',
      firstName: 'Augusta',
      customAttributes: {},
    });
  });

  test('counts as the person, however often the person signed in with a user token and out before', async () => {
    const { applicationId, record, apply, profile, outcomes } = await newTenant();
    const device = { applicationId, deviceId: 'd1' };
    await registerDevice(db, systemClock, {
      ...device,
      facts: { kind: 'none', address: null },
      customUserId: null,
    });
    const signIn = () =>
      identifyDevice(db, systemClock, { ...device, customUserId: 'ada', isByUserToken: true });
    for (let count = 0; count < 60; count += 1) {
      await signIn();
      await logOutDevice(db, systemClock, device);
    }
    const sent = record({
      keyType: 'client',
      serviceUserId: (await signIn())?.serviceUserId ?? '',
      messages: [userMessage({ email: 'ada@example.com' })],
    });

    await apply(sent);

    expect(await outcomes(sent)).toEqual(['processed']);
    expect(await profile()).toMatchObject({ email: 'ada@example.com' });
  }, 60_000);
});

describe('a phone number', () => {
  test('is kept as sent, and also stored in E.164 by the application’s country', async () => {
    const { applicationId, record, apply, profile, e164 } = await newTenant();
    await updateApplication(db, applicationId, { settings: { defaultCountry: 'FR' } });

    await apply(record({ messages: [userMessage({ time: 1, phoneNumber: '06 12 34 56 78' })] }));

    expect(await profile()).toMatchObject({ phoneNumber: '06 12 34 56 78' });
    expect(await e164()).toBe('+33612345678');
  });

  test.each([
    ['that is invalid is kept and has no such form', '06 12', 'FR', null],
    ['without a country has no such form', '06 12 34 56 78', undefined, null],
    ['with a country code needs no country', '+44 20 7183 8750', undefined, '+442071838750'],
  ])('%s', async (_, phoneNumber, defaultCountry, expected) => {
    const { applicationId, record, apply, profile, e164 } = await newTenant();
    if (defaultCountry !== undefined)
      await updateApplication(db, applicationId, { settings: { defaultCountry } });

    await apply(record({ messages: [userMessage({ phoneNumber })] }));

    expect(await profile()).toMatchObject({ phoneNumber });
    expect(await e164()).toBe(expected);
  });

  test('follows its field: a newer value, a cleared one, one of a merged anonymous user', async () => {
    const { record, apply, e164 } = await newTenant();
    const serviceUserId = systemIds.uuid();
    const seen: (string | null)[] = [];
    const step = async (...records: readonly IngestRecord[]): Promise<void> => {
      await apply(...records);
      seen.push(await e164());
    };

    await step(record({ messages: [userMessage({ time: 1, phoneNumber: '+442071838750' })] }));
    await step(record({ messages: [userMessage({ time: 2, city: 'London' })] }));
    await step(record({ messages: [userMessage({ time: 3, phoneNumber: null })] }));
    await step(
      record({
        customUserId: null,
        serviceUserId,
        messages: [userMessage({ time: 4, phoneNumber: '+33612345678' })],
      }),
    );
    await step(record({ serviceUserId }));

    expect(seen).toEqual(['+442071838750', '+442071838750', null, null, '+33612345678']);
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
