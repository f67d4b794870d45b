import { describe, expect, test } from '@jest/globals';
import { listCampaigns } from '@tidings/campaign-reports/reports';
import { eventually } from '@tidings/testing';
import { EMAIL_SETTINGS } from '../../testing/email-settings.ts';
import { startTestApi } from '../../testing/test-api.ts';
import { get, put, settleTest, offerTest, sendTest } from '../../testing/email-channel.ts';

describe('a channel without a provider', () => {
  test('has no settings; a test send that waits for the user makes it ready', async () => {
    await using api = await startTestApi();
    const { db, request, asAdmin: headers, tenant } = api;
    await db.sql.query(
      `insert into users (id, application_id, custom_user_id, registered_at) values (uuidv7(), $1, 'ada', now())`,
      [tenant.applicationId],
    );
    expect((await request('PUT', 'channels/ON_SITE', { headers, body: {} })).body).toMatchObject({
      status: 'untested',
      settings: {},
    });
    expect(
      (await request('PUT', 'channels/ON_SITE', { headers, body: { host: 'x' } })).status,
    ).toBe(400);

    const [answer] = await Promise.all([
      request('POST', 'channels/ON_SITE/test', { headers, body: { to: 'ada' } }),
      offerTest(api),
    ]);

    expect(answer.body).toMatchObject({ ok: true, status: 'waiting' });
    expect((await request('GET', 'channels/ON_SITE', { headers })).body).toMatchObject({
      status: 'ready',
    });
  });
});

describe('POST channels/{channel}/test', () => {
  test('tells what the provider said; success makes the channel ready', async () => {
    await using api = await startTestApi();
    await put(api, EMAIL_SETTINGS);

    const { status, body } = await sendTest(api, {
      state: 'sent',
      providerCode: '250',
      providerMessage: '250 Ok',
    });

    expect(status).toBe(200);
    expect(body).toEqual({
      ok: true,
      status: 'sent',
      providerCode: '250',
      providerMessage: '250 Ok',
      durationMs: expect.any(Number),
    });
    expect((await get(api)).body.status).toBe('ready');
  });

  test.each([
    [
      {
        state: 'failed',
        reason: 'provider_auth',
        providerCode: '535 5.7.8',
        providerMessage: '535 Bad credentials',
      } as const,
    ],
    [{ state: 'unknown', reason: 'outcome_unknown' } as const],
    [{ state: 'expired' } as const],
  ])('leaves it untested when the outcome is %j', async ({ state, ...words }) => {
    await using api = await startTestApi();
    await put(api, EMAIL_SETTINGS);

    expect((await sendTest(api, { state, ...words })).body).toEqual({
      ok: false,
      status: state,
      ...words,
      durationMs: expect.any(Number),
    });
    expect((await get(api)).body.status).toBe('untested');
  });

  test('does not make settings ready that changed meanwhile', async () => {
    await using api = await startTestApi();
    await put(api, EMAIL_SETTINGS);

    const answer = api.request('POST', 'channels/EMAIL/test', {
      headers: api.asAdmin,
      body: { to: 'me@example.org' },
    });
    await eventually(async () =>
      expect(await listCampaigns(api.db, api.tenant.applicationId, { limit: 1 })).toHaveLength(1),
    );
    await put(api, { ...EMAIL_SETTINGS, port: 2525 });
    await settleTest(api, { state: 'sent' });

    expect((await answer).body).toMatchObject({ ok: true });
    expect((await get(api)).body.status).toBe('untested');
  });

  test('is pending when no worker finishes in time', async () => {
    await using api = await startTestApi({ testSendTimeoutMs: 150 });
    await put(api, EMAIL_SETTINGS);

    const { body } = await api.request('POST', 'channels/EMAIL/test', {
      headers: api.asAdmin,
      body: { to: 'me@example.org' },
    });

    expect(body).toEqual({ ok: false, status: 'pending', durationMs: expect.any(Number) });
  });

  test('is a campaign with source test, actor and request id', async () => {
    await using api = await startTestApi();
    await put(api, EMAIL_SETTINGS);

    const { headers } = await sendTest(api, { state: 'sent' });

    expect(await listCampaigns(api.db, api.tenant.applicationId, { limit: 5 })).toMatchObject([
      {
        source: 'test',
        createdBy: 'token:test',
        requestId: headers.get('x-request-id'),
        recipients: { unique: 1 },
      },
    ]);
  });
});
