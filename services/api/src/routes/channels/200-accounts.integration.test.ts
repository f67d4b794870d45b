import { describe, expect, test } from '@jest/globals';
import { accountsOf, readChannelSettings } from '@tidings/accounts/channel-settings';
import { pauseAccount } from '@tidings/channel-breakers/account-pauses';
import { recordOpenBreaker } from '@tidings/channel-breakers/open-breakers';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { listCampaigns } from '@tidings/campaign-reports/reports';
import { readCampaignsToSend } from '@tidings/delivery/campaigns-to-send';
import { testSecretBox } from '@tidings/testing';
import { IDLE_HEALTH, settleTest } from '../../testing/email-channel.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

type Account = {
  readonly name: string;
  readonly provider: string;
  readonly share?: number;
  readonly status: string;
  readonly settings: Readonly<Record<string, unknown>>;
};
type Shown = {
  readonly status: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly accounts: readonly Account[];
};

const SERVER = { host: 'smtp.example.com', port: 587, security: 'starttls', password: 'secret' };
const EMAIL = {
  fromAddress: 'shop@example.com',
  bounceSecret: 'sixteen characters',
  accounts: [
    { name: 'main', share: 70, settings: SERVER },
    { name: 'spare', provider: 'smtp', share: 30, settings: { ...SERVER, host: 'spare.example' } },
  ],
};
const exampleOf = (provider: string) => ({
  ...CHANNEL_DESCRIPTORS.SMS.providers[provider]?.example,
});
const TWILIO = exampleOf('twilio');
const SMS = {
  accounts: [
    { name: 'twilio', provider: 'twilio', settings: TWILIO },
    { name: 'german', provider: 'vonage', settings: exampleOf('vonage'), countries: ['DE', 'AT'] },
  ],
};

const call = (api: TestApi, method: string, channel = 'EMAIL', body?: object) =>
  api.request<Shown>(method, `channels/${channel}`, {
    headers: api.asAdmin,
    ...(body !== undefined && { body }),
  });
const put = (api: TestApi, body: object, channel = 'EMAIL') => call(api, 'PUT', channel, body);
const get = (api: TestApi, channel = 'EMAIL') => call(api, 'GET', channel);
const statusesOf = ({ accounts }: Shown) => accounts.map(({ name, status }) => `${name} ${status}`);

/** Sends a test by an account, as a worker would, and returns the answer. */
async function sendTest(api: TestApi, account?: string) {
  const [answer] = await Promise.all([
    api.request<{ ok: boolean }>('POST', 'channels/EMAIL/test', {
      headers: api.asAdmin,
      body: { to: 'me@example.org', ...(account !== undefined && { account }) },
    }),
    settleTest(api, { state: 'sent' }),
  ]);
  return answer;
}

describe('several accounts of a channel', () => {
  test('are stored and shown in their order, without secrets; beside them what the channel has for all', async () => {
    await using api = await startTestApi();

    const written = await put(api, EMAIL);

    expect(written.status).toBe(200);
    const shown = {
      host: 'smtp.example.com',
      port: 587,
      security: 'starttls',
      password: '********',
    };
    expect(written.body).toEqual({
      channel: 'EMAIL',
      status: 'untested',
      testedAt: null,
      health: IDLE_HEALTH,
      settings: { fromAddress: 'shop@example.com', bounceSecret: '********' },
      accounts: [
        {
          name: 'main',
          provider: 'smtp',
          share: 70,
          status: 'untested',
          testedAt: null,
          settings: shown,
        },
        {
          name: 'spare',
          provider: 'smtp',
          share: 30,
          status: 'untested',
          testedAt: null,
          settings: { ...shown, host: 'spare.example' },
        },
      ],
    });
    expect((await get(api)).body).toEqual(written.body);
  });

  test('of SMS have their providers and countries', async () => {
    await using api = await startTestApi();

    const { status, body } = await put(api, SMS, 'SMS');

    expect(status).toBe(200);
    expect(body).toMatchObject({
      settings: {},
      accounts: [
        { name: 'twilio', provider: 'twilio', settings: { authToken: '********' } },
        {
          name: 'german',
          provider: 'vonage',
          countries: ['DE', 'AT'],
          settings: { privateKey: '********' },
        },
      ],
    });
  });

  test('keep their secrets by the mask, also in another order, and become one again', async () => {
    await using api = await startTestApi();
    const { body } = await put(api, EMAIL);
    const toWrite = body.accounts.map(({ name, settings }) => ({ name, settings }));
    await put(api, { ...body.settings, accounts: toWrite.toReversed() });

    const reversed = (await get(api)).body;
    expect(reversed.accounts.map(({ name }) => name)).toEqual(['spare', 'main']);
    expect(reversed.accounts[0]?.settings).toMatchObject({ password: '********' });
    expect(reversed.settings).toEqual(body.settings);

    const one = (await put(api, { fromAddress: 'shop@example.com', ...SERVER })).body;
    expect(one.accounts.map(({ name }) => name)).toEqual(['main']);
    expect(one.settings).toMatchObject({
      host: 'smtp.example.com',
      fromAddress: 'shop@example.com',
    });
  });

  test('keep their secrets and those of the channel when another becomes the first, or one is renamed', async () => {
    await using api = await startTestApi();
    await put(api, EMAIL);
    await sendTest(api, 'main');
    const secretsOf = async () => {
      const { db, tenant } = api;
      const stored = await readChannelSettings(db, testSecretBox, {
        applicationId: tenant.applicationId,
        channel: 'EMAIL',
      });
      return Object.fromEntries(
        (stored === null ? [] : accountsOf(stored)).map(({ name, secrets }) => [name, secrets]),
      );
    };
    const masked = { fromAddress: EMAIL.fromAddress, bounceSecret: '********' };
    const main = { settings: { ...SERVER, password: '********' }, share: 70 };
    const added = { name: 'added', settings: { ...SERVER, password: 'of the added one' } };
    const secrets = { password: 'secret', bounceSecret: 'sixteen characters' };

    const first = await put(api, { ...masked, accounts: [added, { ...main, name: 'main' }] });
    expect(statusesOf(first.body)).toEqual(['added untested', 'main ready']);
    expect(await secretsOf()).toEqual({
      added: { password: 'of the added one', bounceSecret: 'sixteen characters' },
      main: secrets,
    });

    const renamed = await put(api, {
      ...masked,
      accounts: [{ ...main, name: 'ses', previousName: 'main' }],
    });
    expect(statusesOf(renamed.body)).toEqual(['ses ready']);
    expect(await secretsOf()).toEqual({ ses: secrets });
  });

  test('one of them alone is shown as settings without a list are', async () => {
    await using api = await startTestApi();
    const [account] = EMAIL.accounts;

    const { body } = await put(api, { fromAddress: 'shop@example.com', accounts: [account] });

    expect(body.settings).toMatchObject({ fromAddress: 'shop@example.com', port: 587 });
    expect(body.accounts).toHaveLength(1);
  });

  test('each sends after its own test send, and stays ready while it stays as it is', async () => {
    await using api = await startTestApi();
    await put(api, EMAIL);

    expect((await sendTest(api, 'spare')).body.ok).toBe(true);
    expect((await get(api)).body.status).toBe('ready');
    expect(statusesOf((await get(api)).body)).toEqual(['main untested', 'spare ready']);
    const [campaign] = await listCampaigns(api.db, api.tenant.applicationId, { limit: 1 });
    const { campaignId = '' } = campaign ?? {};
    expect((await readCampaignsToSend(api.db.sql, [campaignId])).get(campaignId)?.account).toBe(
      'spare',
    );

    const [main, spare] = EMAIL.accounts;
    const changed = { ...main, settings: { ...SERVER, port: 465 } };
    expect(
      statusesOf(
        (await put(api, { ...EMAIL, accounts: [changed, spare, { ...main, name: 'new' }] })).body,
      ),
    ).toEqual(['main untested', 'spare ready', 'new untested']);

    // What the channel has is part of every account.
    expect(statusesOf((await put(api, { ...EMAIL, fromName: 'Shop' })).body)).toEqual([
      'main untested',
      'spare untested',
    ]);
  });

  test('the first one is tested if none is named', async () => {
    await using api = await startTestApi();
    await put(api, EMAIL);

    await sendTest(api);

    expect(statusesOf((await get(api)).body)).toEqual(['main ready', 'spare untested']);
  });

  test('each shows why it does not send, until its own test send succeeds', async () => {
    await using api = await startTestApi();
    const channel = {
      applicationId: api.tenant.applicationId,
      channel: 'EMAIL',
      version: 1,
    } as const;
    await put(api, EMAIL);
    for (const account of ['main', 'spare'])
      await pauseAccount(api.db.sql, { ...channel, account, reason: 'provider_auth' });
    await recordOpenBreaker(api.db.sql, {
      ...channel,
      receiver: 'spare',
      owner: 'worker',
      cause: 'failures',
      probeInMs: 30_000,
    });
    const paused = { reason: 'provider_auth', pausedAt: expect.any(Number) };
    const { body } = await get(api);
    expect(body.accounts).toMatchObject([
      { pause: paused },
      { pause: paused, breaker: { cause: 'failures', workers: 1 } },
    ]);
    expect(body.accounts[0]).not.toHaveProperty('breaker');

    await sendTest(api, 'main');

    const after = (await get(api)).body.accounts;
    expect(after[0]).not.toHaveProperty('pause');
    expect(after[1]).toMatchObject({ pause: paused });
    expect((await put(api, EMAIL)).body.accounts[1]).not.toHaveProperty('pause');
  });
});

describe('what is wrong with accounts is pointed to', () => {
  const [main, spare] = EMAIL.accounts;
  const [twilioAccount, german] = SMS.accounts;
  const six = Array.from({ length: 6 }, (_, index) => ({ ...main, name: `a${index}` }));

  test.each<[string, object, string[]]>([
    [
      'EMAIL',
      {
        ...EMAIL,
        bounceSecret: '********',
        accounts: [{ ...main, settings: { ...SERVER, password: '********' } }],
      },
      ['/bounceSecret', '/accounts/0/settings/password'],
    ],
    ['EMAIL', { ...EMAIL, accounts: [] }, ['/accounts']],
    ['EMAIL', { ...EMAIL, accounts: six }, ['/accounts']],
    ['EMAIL', { ...EMAIL, accounts: main }, ['/accounts']],
    ['EMAIL', { accounts: [main] }, ['/fromAddress']],
    ['EMAIL', { ...EMAIL, host: 'smtp.example.com' }, ['/host']],
    ['EMAIL', { ...EMAIL, accounts: [main, { ...spare, name: 'main' }] }, ['/accounts/1/name']],
    ['EMAIL', { ...EMAIL, accounts: [{ ...main, name: 'Main' }] }, ['/accounts/0/name']],
    ['EMAIL', { ...EMAIL, accounts: [{ ...main, share: 101 }] }, ['/accounts/0/share']],
    ['EMAIL', { ...EMAIL, accounts: [{ ...main, countries: ['DE'] }] }, ['/accounts/0/countries']],
    [
      'EMAIL',
      { ...EMAIL, accounts: [{ ...main, settings: { ...SERVER, fromAddress: 'a@b.example' } }] },
      ['/accounts/0/settings/fromAddress'],
    ],
    [
      'EMAIL',
      { ...EMAIL, accounts: [main, { ...spare, settings: { host: 'spare.example' } }] },
      ['/accounts/1/settings/port', '/accounts/1/settings/security'],
    ],
    ['SMS', { accounts: [{ name: 'a', settings: TWILIO }] }, ['/accounts/0/provider']],
    [
      'SMS',
      { accounts: [{ name: 'a', provider: 'unknown', settings: {} }] },
      ['/accounts/0/provider'],
    ],
    [
      'SMS',
      { accounts: [{ ...twilioAccount, provider: 'vonage' }] },
      [
        '/accounts/0/settings/apiKey',
        '/accounts/0/settings/applicationId',
        '/accounts/0/settings/privateKey',
        '/accounts/0/settings/signatureSecret',
        '/accounts/0/settings/accountSid',
        '/accounts/0/settings/authToken',
      ],
    ],
    [
      'SMS',
      { accounts: [twilioAccount, { ...german, countries: ['DE', 'XX'] }] },
      ['/accounts/1/countries/1'],
    ],
    ['SMS', { accounts: [german] }, ['/accounts']],
    ['WEB_PUSH', { subject: 'mailto:ops@example.com', accounts: [] }, ['/accounts']],
  ])('%s %j', async (channel, body, pointers) => {
    await using api = await startTestApi();

    const { status, problem, text } = await api.request('PUT', `channels/${channel}`, {
      headers: api.asAdmin,
      body,
    });

    expect(problem.errors?.map(({ pointer }) => pointer).toSorted()).toEqual(pointers.toSorted());
    expect(status).toBe(400);
    expect(text).not.toContain('secret"');
    expect((await get(api, channel)).body.status).toBe('not_configured');
  });

  test('a test send by an account that is not there', async () => {
    await using api = await startTestApi();
    await put(api, EMAIL);

    const { status, problem } = await api.request('POST', 'channels/EMAIL/test', {
      headers: api.asAdmin,
      body: { to: 'me@example.org', account: 'other' },
    });

    expect([status, problem.errors?.map(({ pointer }) => pointer)]).toEqual([400, ['/account']]);
  });
});
