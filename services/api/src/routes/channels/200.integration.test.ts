import { describe, expect, test } from '@jest/globals';
import { readChannelSettings } from '@tidings/accounts/channel-settings';
import { CHANNELS } from '@tidings/contracts';
import { changeDeliveryStates, type StateChange } from '@tidings/delivery/change-states';
import { pauseChannel } from '@tidings/delivery/channel-pauses';
import { claimChunk } from '@tidings/delivery/claims';
import { deliverToInbox } from '@tidings/delivery/deliver-to-inbox';
import { recordOpenBreaker } from '@tidings/delivery/open-breakers';
import { listCampaigns } from '@tidings/delivery/reports';
import { eventually, expandAll, testSecretBox } from '@tidings/testing';
import { EMAIL_SETTINGS } from '../../testing/email-settings.ts';
import { startTestApi, type Answer, type TestApi } from '../../testing/test-api.ts';

const { password, ...plain } = EMAIL_SETTINGS;

type Shown = {
  readonly status: string;
  readonly settings: Record<string, unknown>;
  readonly testedAt?: number | null;
};

const get = ({ request, asAdmin: headers }: TestApi) =>
  request<Shown>('GET', 'channels/EMAIL', { headers });
const put = ({ request, asAdmin: headers }: TestApi, body: unknown) =>
  request<Shown>('PUT', 'channels/EMAIL', { headers, body });
const stored = ({ db, tenant: { applicationId } }: TestApi) =>
  readChannelSettings(db, testSecretBox, { applicationId, channel: 'EMAIL' });

/** Acts as the worker: settles the application's test send. */
async function settleTest(
  { db, tenant: { applicationId } }: TestApi,
  outcome: Omit<StateChange, 'deliveryId' | 'fence'>,
): Promise<void> {
  const campaignId = await eventually(async () => {
    const [campaign] = await listCampaigns(db, applicationId, {
      limit: 1,
      source: 'test',
      status: 'queued',
    });
    if (campaign === undefined) throw new Error('no test send yet');
    return campaign.campaignId;
  });
  await expandAll(db, campaignId);
  const [claimed] = await claimChunk(db, {
    campaignId,
    chunkNo: 0,
    owner: 'worker',
    leaseMs: 60_000,
    rowsMax: 1,
  });
  if (claimed === undefined) throw new Error('nothing to send');
  expect(claimed.testAddress).toBe('me@example.org');
  await changeDeliveryStates(
    db.sql,
    ['claimed'],
    [{ deliveryId: claimed.deliveryId, fence: claimed.fence, ...outcome }],
  );
}

/** Acts as the worker of a channel without a provider. */
async function offerTest({ db, tenant: { applicationId } }: TestApi): Promise<void> {
  const campaignId = await eventually(async () => {
    const [campaign] = await listCampaigns(db, applicationId, {
      limit: 1,
      source: 'test',
      status: 'queued',
    });
    if (campaign === undefined) throw new Error('no test send yet');
    return campaign.campaignId;
  });
  await expandAll(db, campaignId);
  await deliverToInbox(
    db,
    await claimChunk(db, { campaignId, chunkNo: 0, owner: 'worker', leaseMs: 60_000, rowsMax: 1 }),
  );
}

async function sendTest(
  api: TestApi,
  outcome: Omit<StateChange, 'deliveryId' | 'fence'>,
): Promise<Answer> {
  const [answer] = await Promise.all([
    api.request('POST', 'channels/EMAIL/test', {
      headers: api.asAdmin,
      body: { to: 'me@example.org' },
    }),
    settleTest(api, outcome),
  ]);
  return answer;
}

describe('GET channels', () => {
  test('lists every channel with its status', async () => {
    await using api = await startTestApi();
    await put(api, EMAIL_SETTINGS);

    const { body } = await api.request('GET', 'channels', { headers: api.asAdmin });

    expect(body).toEqual({
      items: CHANNELS.map((channel) => ({
        channel,
        status: channel === 'EMAIL' ? 'untested' : 'not_configured',
      })),
      nextCursor: null,
    });
  });
});

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

describe('PUT channels/{channel}', () => {
  test('stores the settings as untested; a secret is encrypted and never returned', async () => {
    await using api = await startTestApi();
    expect((await get(api)).body).toEqual({
      channel: 'EMAIL',
      status: 'not_configured',
      settings: {},
    });

    const answers = [await put(api, EMAIL_SETTINGS), await get(api)];

    for (const { status, body, text } of answers) {
      expect(status).toBe(200);
      expect(body).toEqual({
        channel: 'EMAIL',
        status: 'untested',
        testedAt: null,
        settings: { ...plain, password: '********' },
      });
      expect(text).not.toContain(password);
    }
    const { rows } = await api.db.sql.query<{ row: string }>(
      'select channel_settings::text as row from channel_settings where application_id = $1',
      [api.tenant.applicationId],
    );
    expect(rows[0]?.row).not.toContain(password);
    expect(await stored(api)).toMatchObject({ settings: plain, secrets: { password } });
  });

  test('the mask keeps the secret, another value replaces it, omitting it removes it', async () => {
    await using api = await startTestApi();
    await put(api, EMAIL_SETTINGS);

    await put(api, { ...EMAIL_SETTINGS, port: 25, password: '********' });
    expect(await stored(api)).toMatchObject({
      settings: { port: 25 },
      secrets: { password },
      version: 2,
    });

    await put(api, { ...EMAIL_SETTINGS, password: 'new' });
    expect(await stored(api)).toMatchObject({ secrets: { password: 'new' } });

    expect((await put(api, plain)).body.settings).toEqual(plain);
    expect((await stored(api))?.secrets).toEqual({});
  });

  test('the mask without a stored secret keeps nothing', async () => {
    await using api = await startTestApi();

    await put(api, { ...EMAIL_SETTINGS, password: '********' });

    expect((await stored(api))?.secrets).toEqual({});
  });

  test('makes a ready channel untested', async () => {
    await using api = await startTestApi();
    await put(api, EMAIL_SETTINGS);
    await sendTest(api, { state: 'sent' });
    expect((await get(api)).body).toMatchObject({
      status: 'ready',
      testedAt: expect.any(Number),
    });

    expect((await put(api, EMAIL_SETTINGS)).body).toMatchObject({
      status: 'untested',
      testedAt: null,
    });
  });
});

describe('PUT of the other channels', () => {
  const whsec = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;

  test.each([
    [
      'SMS',
      { accountSid: `AC${'a'.repeat(32)}`, from: '+15005550006' },
      { authToken: 'the token' },
    ],
    [
      'SMS',
      {
        accountSid: `AC${'a'.repeat(32)}`,
        messagingServiceSid: `MG${'b'.repeat(32)}`,
        apiBaseUrl: 'http://127.0.0.1:8025',
      },
      { authToken: 'the token' },
    ],
    [
      'WEB_HOOK',
      { url: 'https://hooks.example.com/tidings?a=b' },
      { secret: whsec(1), previousSecret: whsec(2) },
    ],
    ['WEB_HOOK', {}, { secret: whsec(1) }],
  ] as const)(
    '%s %j: secrets are sealed, masked, and kept by their mask',
    async (channel, plainSettings, secrets) => {
      await using api = await startTestApi();
      const masked = {
        ...plainSettings,
        ...Object.fromEntries(Object.keys(secrets).map((field) => [field, '********'])),
      };
      const write = (body: object) =>
        api.request<Shown>('PUT', `channels/${channel}`, {
          headers: api.asAdmin,
          body,
        });

      const { status, body } = await write({ ...plainSettings, ...secrets });

      expect([status, body]).toEqual([
        200,
        { channel, status: 'untested', testedAt: null, settings: masked },
      ]);
      await write(masked);
      expect(
        await readChannelSettings(api.db, testSecretBox, {
          applicationId: api.tenant.applicationId,
          channel,
        }),
      ).toMatchObject({ settings: plainSettings, secrets, version: 2 });
    },
  );
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

describe('GET channels/{channel} returns why deliveries wait', () => {
  const pause = ({ db, tenant: { applicationId } }: TestApi, version: number) =>
    pauseChannel(db.sql, {
      applicationId,
      channel: 'EMAIL',
      version,
      reason: 'provider_auth',
      providerCode: '535 5.7.8',
      providerMessage: '535 Bad credentials',
    });
  const shownPause = {
    reason: 'provider_auth',
    providerCode: '535 5.7.8',
    providerMessage: '535 Bad credentials',
    pausedAt: expect.any(Number),
  };

  test('rejected settings, until they are replaced', async () => {
    await using api = await startTestApi();
    await put(api, EMAIL_SETTINGS);
    await pause(api, 1);
    expect((await get(api)).body).toMatchObject({ status: 'untested', pause: shownPause });

    expect((await put(api, EMAIL_SETTINGS)).body).not.toHaveProperty('pause');

    expect((await get(api)).body).not.toHaveProperty('pause');
  });

  test('until a test send succeeds; a failed one changes nothing', async () => {
    await using api = await startTestApi();
    await put(api, EMAIL_SETTINGS);
    await pause(api, 1);

    await sendTest(api, { state: 'failed', reason: 'provider_auth' });
    expect((await get(api)).body).toMatchObject({ pause: shownPause });
    await sendTest(api, { state: 'sent' });

    expect((await get(api)).body).not.toHaveProperty('pause');
  });

  test('an open breaker, as reported by workers for these settings', async () => {
    await using api = await startTestApi();
    const { applicationId } = api.tenant;
    await put(api, EMAIL_SETTINGS);
    expect((await get(api)).body).not.toHaveProperty('breaker');
    for (const owner of ['one', 'two']) {
      await recordOpenBreaker(api.db.sql, {
        applicationId,
        channel: 'EMAIL',
        receiver: '',
        owner,
        version: 1,
        cause: 'failures',
        probeInMs: 30_000,
      });
    }

    expect((await get(api)).body).toMatchObject({
      breaker: {
        cause: 'failures',
        openedAt: expect.any(Number),
        probeAt: expect.any(Number),
        workers: 2,
      },
    });
    expect((await put(api, EMAIL_SETTINGS)).body).not.toHaveProperty('breaker');
  });
});

describe('ratePerSecond of a channel', () => {
  test.each([0.01, 5, 10_000])('%j is stored and shown', async (ratePerSecond) => {
    await using api = await startTestApi();

    expect((await put(api, { ...EMAIL_SETTINGS, ratePerSecond })).body.settings).toMatchObject({
      ratePerSecond,
    });
    expect(await stored(api)).toMatchObject({ settings: { ratePerSecond } });
  });
});
