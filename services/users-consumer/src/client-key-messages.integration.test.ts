import { afterAll, describe, expect, test } from '@jest/globals';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { identifyDevice, logOutDevice, registerDevice } from '@tidings/people/devices/device-users';
import { updateApplication } from '@tidings/people/update-application';
import { systemClock, systemIds } from '@tidings/platform';
import { connectTestDatabase, userMessage } from '@tidings/testing';
import { userTenant } from './testing/user-tenant.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const newTenant = () => userTenant(db);

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
