import { afterAll, describe, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { tenant, asAdmin: headers } = api;

test('GET applications pages through all applications', async () => {
  const ids: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body }: { body: { items: { applicationId: string }[]; nextCursor: string | null } } =
      await api.request('GET', `applications?limit=500&cursor=${cursor}`, { headers });
    ids.push(...body.items.map(({ applicationId }) => applicationId));
    cursor = body.nextCursor;
  }

  expect(ids).toContain(tenant.applicationId);
  expect(ids).toContain(api.other.applicationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test('GET applications/{id} returns the application without keys', async () => {
  const { body, text } = await api.request('GET', `applications/${tenant.applicationId}`, {
    headers,
  });

  expect(body).toEqual({
    applicationId: tenant.applicationId,
    name: expect.any(String),
    settings: {},
    createdAt: expect.any(Number),
  });
  expect(text).not.toContain('sk_');
});

describe('PATCH applications/{id}', () => {
  test('changes the given fields only', async () => {
    const patch = async (body: unknown) =>
      (await api.request('PATCH', `applications/${tenant.applicationId}`, { headers, body })).body;

    expect(
      await patch({ name: 'Shop', settings: { defaultSubject: 'From the shop' } }),
    ).toMatchObject({ name: 'Shop' });
    expect(await patch({ settings: { sendUntested: true } })).toMatchObject({
      name: 'Shop',
      settings: { defaultSubject: 'From the shop', sendUntested: true },
    });
    expect(await patch({})).toMatchObject({
      name: 'Shop',
      settings: { defaultSubject: 'From the shop' },
    });
  });

  test('stores every setting, null resets one, and gateways are notified', async () => {
    const { applicationId } = api.other;
    const patch = async (settings: unknown) =>
      (
        await api.request('PATCH', `applications/${applicationId}`, {
          headers,
          body: { settings },
        })
      ).body['settings'];
    const all = {
      defaultSubject: 'From the shop',
      sendUntested: false,
      defaultCountry: 'DE',
      dedupeResolvedUsers: true,
      clientKeysChangeContacts: true,
      allowListExemptsClientKeys: true,
      eventRetentionDays: 90,
      timeZone: 'Europe/Berlin',
      quietHours: {
        default: { from: '21:00', to: '08:00' },
        SMS: { from: '20:00', to: '10:00', action: 'drop' },
      },
      frequencyCaps: {
        default: { messages: 3, windowHours: 168 },
        EMAIL: { messages: 0, windowHours: 1, action: 'hold' },
      },
      dailyCaps: { SMS: 1_000, EMAIL: 0 },
      resendOnUnknown: { SMS: true, WEB_HOOK: false },
      rates: {
        ingest: { perSecond: 0.5, burst: 1 },
        ingestClient: { perSecond: 0, burst: 1 },
        ingestClientAddress: { perSecond: 5, burst: 10 },
        ingestBytes: { perSecond: 0, burst: 1_048_576 },
        push: { perSecond: 0, burst: 100 },
      },
    };
    const announced = api.keyChanges.length;

    expect(await patch(all)).toEqual(all);
    expect(
      await patch({
        rates: { push: null, ingestClient: null, ingestBytes: null },
        defaultCountry: null,
        eventRetentionDays: null,
        quietHours: { SMS: { from: '19:00', to: '10:00', action: null } },
        dailyCaps: { EMAIL: null },
        resendOnUnknown: null,
      }),
    ).toEqual({
      defaultSubject: 'From the shop',
      sendUntested: false,
      dedupeResolvedUsers: true,
      clientKeysChangeContacts: true,
      allowListExemptsClientKeys: true,
      rates: {
        ingest: { perSecond: 0.5, burst: 1 },
        ingestClientAddress: { perSecond: 5, burst: 10 },
      },
      timeZone: 'Europe/Berlin',
      quietHours: { default: { from: '21:00', to: '08:00' }, SMS: { from: '19:00', to: '10:00' } },
      frequencyCaps: all.frequencyCaps,
      dailyCaps: { SMS: 1_000 },
    });
    expect(
      await patch(Object.fromEntries(Object.keys(all).map((setting) => [setting, null]))),
    ).toEqual({});
    expect(api.keyChanges.slice(announced)).toEqual([applicationId, applicationId, applicationId]);
  });
});
