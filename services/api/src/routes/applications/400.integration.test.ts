import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { tenant, asAdmin: headers } = api;

test.each([
  [{}, '/name', 'required'],
  [{ name: null }, '/name', 'wrong_type'],
  [{ name: 5 }, '/name', 'wrong_type'],
  [{ name: '' }, '/name', 'empty'],
  [{ name: 'x'.repeat(201) }, '/name', 'too_long'],
  [{ name: 'a\u0000b' }, '/name', 'invalid_value'],
  [{ name: 'a\ud800' }, '/name', 'invalid_value'],
  [{ name: 'Shop', timeZone: '+02:00' }, '/timeZone', 'invalid_value'],
  [{ name: 'Shop', timeZone: null }, '/timeZone', 'wrong_type'],
])('POST applications %j', async (body, pointer, code) => {
  const { status, problem } = await api.request('POST', 'applications', { headers, body });

  expect(status).toBe(400);
  expect(problem).toMatchObject({ code: 'validation_failed', errors: [{ pointer, code }] });
});

test.each([
  [{ name: '' }, '/name'],
  [{ settings: null }, '/settings'],
  [{ settings: { defaultSubject: 'a\r\nBcc: x@y.example' } }, '/settings/defaultSubject'],
  [{ settings: { defaultSubject: 'a\u0000' } }, '/settings/defaultSubject'],
  [{ settings: { defaultSubject: '\udfff' } }, '/settings/defaultSubject'],
  [{ settings: { sendUntested: 'yes' } }, '/settings/sendUntested'],
  [{ settings: { unheardOf: 1 } }, '/settings/unheardOf'],
  [{ settings: { toString: 1 } }, '/settings/toString'],
  [{ settngs: {} }, '/settngs'],
  [{ settings: { defaultCountry: 'de' } }, '/settings/defaultCountry'],
  [{ settings: { defaultCountry: 'XX' } }, '/settings/defaultCountry'],
  [{ settings: { defaultCountry: '' } }, '/settings/defaultCountry'],
  [{ settings: { dedupeResolvedUsers: 1 } }, '/settings/dedupeResolvedUsers'],
  [{ settings: { clientKeysChangeContacts: 'true' } }, '/settings/clientKeysChangeContacts'],
  [{ settings: { allowListExemptsClientKeys: 0 } }, '/settings/allowListExemptsClientKeys'],
  [{ settings: { eventRetentionDays: 0 } }, '/settings/eventRetentionDays'],
  [{ settings: { eventRetentionDays: 1.5 } }, '/settings/eventRetentionDays'],
  [
    { settings: { rates: { ingest: { perSecond: -1, burst: 1 } } } },
    '/settings/rates/ingest/perSecond',
  ],
  [{ settings: { rates: { ingest: { perSecond: 1, burst: 0 } } } }, '/settings/rates/ingest/burst'],
  [{ settings: { rates: { push: { perSecond: 1 } } } }, '/settings/rates/push/burst'],
  [
    { settings: { rates: { ingestClient: { perSecond: 1_000_001, burst: 1 } } } },
    '/settings/rates/ingestClient/perSecond',
  ],
  [
    { settings: { rates: { ingestClientAddress: { perSecond: 1, burst: 0 } } } },
    '/settings/rates/ingestClientAddress/burst',
  ],
  [
    { settings: { rates: { ingestBytes: { perSecond: 1, burst: 10_000_000_001 } } } },
    '/settings/rates/ingestBytes/burst',
  ],
  [{ settings: { rates: { unheardOf: { perSecond: 1, burst: 1 } } } }, '/settings/rates/unheardOf'],
  [{ settings: { userTokens: 'sometimes' } }, '/settings/userTokens'],
  [{ settings: { rates: { push: { perSecond: 1, burst: 1, x: 1 } } } }, '/settings/rates/push/x'],
  [{ settings: { timeZone: 'Europe/Atlantis' } }, '/settings/timeZone'],
  [{ settings: { timeZone: '+02:00' } }, '/settings/timeZone'],
  [{ settings: { timeZone: 5 } }, '/settings/timeZone'],
  [
    { settings: { quietHours: { from: '21:00', to: '08:00', SMS: null } } },
    '/settings/quietHours/from',
    '/settings/quietHours/to',
  ],
  [{ settings: { quietHours: { SMS: { from: '21:00' } } } }, '/settings/quietHours/SMS/to'],
  [
    { settings: { quietHours: { SMS: { from: '24:00', to: '08:00' } } } },
    '/settings/quietHours/SMS/from',
  ],
  [
    { settings: { quietHours: { SMS: { from: '9:00', to: '08:00' } } } },
    '/settings/quietHours/SMS/from',
  ],
  [
    { settings: { quietHours: { FAX: { from: '21:00', to: '08:00' } } } },
    '/settings/quietHours/FAX',
  ],
  [
    { settings: { quietHours: { default: { from: '21:00', to: '08:00', action: 'wait' } } } },
    '/settings/quietHours/default/action',
  ],
  [
    { settings: { frequencyCaps: { default: { messages: -1, windowHours: 1 } } } },
    '/settings/frequencyCaps/default/messages',
  ],
  [
    { settings: { frequencyCaps: { default: { messages: 1, windowHours: 721 } } } },
    '/settings/frequencyCaps/default/windowHours',
  ],
  [
    { settings: { frequencyCaps: { SMS: { messages: 1 } } } },
    '/settings/frequencyCaps/SMS/windowHours',
  ],
  [{ settings: { dailyCaps: { default: 5 } } }, '/settings/dailyCaps/default'],
  [{ settings: { dailyCaps: { SMS: 1.5 } } }, '/settings/dailyCaps/SMS'],
  [{ settings: { resendOnUnknown: true } }, '/settings/resendOnUnknown'],
  [{ settings: { resendOnUnknown: { SMS: 'yes' } } }, '/settings/resendOnUnknown/SMS'],
])('PATCH applications/{id} %j, and changes nothing', async (body, ...pointers) => {
  const { status, problem } = await api.request('PATCH', `applications/${tenant.applicationId}`, {
    headers,
    body,
  });

  expect(status).toBe(400);
  expect(problem.errors?.map((error) => error.pointer)).toEqual(pointers);
  expect(
    (await api.request('GET', `applications/${tenant.applicationId}`, { headers })).body,
  ).toMatchObject({ settings: {} });
});

test('every error says what was expected', async () => {
  const { problem } = await api.request('PATCH', `applications/${tenant.applicationId}`, {
    headers,
    body: {
      name: 5,
      settings: {
        defaultCountry: 'xx',
        eventRetentionDays: 0,
        unheardOf: 1,
        defaultSubject: 'a\nb',
        rates: { push: {} },
      },
    },
  });

  expect(problem.errors).toHaveLength(7);
  expect(problem.errors?.filter(({ expected }) => expected === undefined)).toEqual([]);
});

test('GET applications accepts only its own cursors', async () => {
  expect((await api.request('GET', 'applications?cursor=x', { headers })).status).toBe(400);
});
