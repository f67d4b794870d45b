import { afterAll, describe, expect, test } from '@jest/globals';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { listCampaigns } from '@tidings/campaign-reports/reports';
import { EMAIL_SETTINGS } from '../../testing/email-settings.ts';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asAdmin: headers } = api;

describe('PUT channels/EMAIL', () => {
  test.each([
    [{ host: undefined }, '/host'],
    [{ host: '' }, '/host'],
    [{ host: 'smtp.example.com/x' }, '/host'],
    [{ host: 'smtp example' }, '/host'],
    [{ port: '25' }, '/port'],
    [{ port: 0 }, '/port'],
    [{ port: 65_536 }, '/port'],
    [{ ratePerSecond: 0 }, '/ratePerSecond'],
    [{ ratePerSecond: -1 }, '/ratePerSecond'],
    [{ ratePerSecond: '5' }, '/ratePerSecond'],
    [{ ratePerSecond: 10_001 }, '/ratePerSecond'],
    [{ security: 'ssl' }, '/security'],
    [{ fromAddress: 'shop' }, '/fromAddress'],
    [{ fromAddress: 'shop@example.com, evil@x.example' }, '/fromAddress'],
    [{ fromAddress: 'shop@example.com\r\nBcc: evil@x.example' }, '/fromAddress'],
    [{ fromAddress: 'sh\u0000p@example.com' }, '/fromAddress'],
    [{ fromName: 'Shop\r\nBcc: evil@x.example' }, '/fromName'],
    [{ fromName: '\ud800' }, '/fromName'],
    [{ password: 5 }, '/password'],
    [{ dkimDomain: 'example.com', dkimSelector: 'news' }, '/dkimPrivateKey'],
    [
      { dkimDomain: 'example.com', dkimSelector: 'news', dkimPrivateKey: 'evil' },
      '/dkimPrivateKey',
    ],
    [{ dkimDomain: 'evil@example.com' }, '/dkimDomain'],
    [{ dkimSelector: 'a b' }, '/dkimSelector'],
    [{ bounceDomain: 'example' }, '/bounceDomain'],
    [{ bounceSecret: 'short' }, '/bounceSecret'],
    [{ unsubscribeMailbox: 'evil@x.example>,<mailto:y@z.example' }, '/unsubscribeMailbox'],
    [{ password: 'a\u0000b' }, '/password'],
    [{ tls: { rejectUnauthorized: false } }, '/tls'],
  ])('%j', async (change, pointer) => {
    const { status, problem, text } = await api.request('PUT', 'channels/EMAIL', {
      headers,
      body: { ...EMAIL_SETTINGS, ...change },
    });

    expect(status).toBe(400);
    expect(problem.errors?.map((error) => error.pointer)).toEqual([pointer]);
    expect(text).not.toContain('evil');
    expect((await api.request('GET', 'channels/EMAIL', { headers })).body).toMatchObject({
      status: 'not_configured',
    });
  });
});

const SMS = { accountSid: `AC${'0'.repeat(32)}`, authToken: 'token', from: '+15005550006' };
const VONAGE = { provider: 'vonage', ...CHANNEL_DESCRIPTORS.SMS.providers['vonage']?.example };
const SECRET = `whsec_${Buffer.alloc(32).toString('base64')}`;
const HOOK = { url: 'https://hooks.example.com/x', secret: SECRET };

describe('PUT channels/SMS and channels/WEB_HOOK', () => {
  test.each([
    ['SMS', { ...SMS, accountSid: 'AC0' }, ['/accountSid']],
    ['SMS', { ...SMS, authToken: undefined }, ['/authToken']],
    ['SMS', { ...SMS, authToken: '' }, ['/authToken']],
    ['SMS', { ...SMS, from: '12' }, ['/from']],
    ['SMS', { ...SMS, from: '+15005550006\r\nX: y' }, ['/from']],
    ['SMS', { ...SMS, messagingServiceSid: 'MG0', from: undefined }, ['/messagingServiceSid']],
    ['SMS', { ...SMS, apiBaseUrl: 'ftp://twilio.example' }, ['/apiBaseUrl']],
    ['SMS', { ...SMS, apiBaseUrl: 'https://user:pass@twilio.example' }, ['/apiBaseUrl']],
    ['SMS', { ...SMS, host: 'x' }, ['/host']],
    ['SMS', { ...SMS, provider: 'unknown' }, ['/provider']],
    ['SMS', { ...SMS, provider: 5 }, ['/provider']],
    ['SMS', { ...VONAGE, apiKey: 'a-b' }, ['/apiKey']],
    ['SMS', { ...VONAGE, applicationId: 'shop' }, ['/applicationId']],
    ['SMS', { ...VONAGE, privateKey: 'no key' }, ['/privateKey']],
    ['SMS', { ...VONAGE, privateKey: undefined }, ['/privateKey']],
    ['SMS', { ...VONAGE, signatureSecret: undefined }, ['/signatureSecret']],
    ['SMS', { ...VONAGE, from: undefined }, ['/from']],
    ['SMS', { ...VONAGE, authToken: 'token' }, ['/authToken']],
    [
      'SMS',
      { provider: 'vonage', ...SMS },
      ['/apiKey', '/applicationId', '/privateKey', '/signatureSecret', '/accountSid', '/authToken'],
    ],
    ['WEB_HOOK', { ...HOOK, url: 'javascript:alert(1)' }, ['/url']],
    ['WEB_HOOK', { ...HOOK, url: 'https://user@hooks.example.com' }, ['/url']],
    ['WEB_HOOK', { ...HOOK, secret: undefined }, ['/secret']],
    ['WEB_HOOK', { ...HOOK, secret: 'short' }, ['/secret']],
    ['WEB_HOOK', { ...HOOK, previousSecret: 'whsec_' }, ['/previousSecret']],
  ])('%s %j', async (channel, body, pointers) => {
    const { status, problem } = await api.request('PUT', `channels/${channel}`, {
      headers,
      body,
    });

    expect(status).toBe(400);
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(pointers);
    expect((await api.request('GET', `channels/${channel}`, { headers })).body).toMatchObject({
      status: 'not_configured',
    });
  });

  test.each([
    ['neither a number nor a messaging service', { ...SMS, from: undefined }],
    ['both', { ...SMS, messagingServiceSid: `MG${'0'.repeat(32)}` }],
  ])('SMS with %s to send from', async (_name, body) => {
    expect((await api.request('PUT', 'channels/SMS', { headers, body })).status).toBe(400);
  });
});

describe('POST channels/SMS/test', () => {
  test.each([
    '0151 12345001',
    '+49',
    '+0151123450',
    'ada@example.org',
    '+4915112345001,+4915112345002',
  ])('%j is not an E.164 number', async (to) => {
    const { status, problem } = await api.request('POST', 'channels/SMS/test', {
      headers,
      body: { to },
    });

    expect([status, problem.errors?.map(({ pointer }) => pointer)]).toEqual([400, ['/to']]);
  });
});

describe('POST channels/EMAIL/test', () => {
  test.each([
    {},
    { to: null },
    { to: '' },
    { to: ['a@b.example'] },
    { to: 'ada' },
    { to: 'a@b.example, evil@x.example' },
    { to: 'a@b.example\r\nBcc: evil@x.example' },
    { to: 'a\u0000@b.example' },
    { to: 'a\ud800@b.example' },
    { to: `${'x'.repeat(250)}@b.example` },
  ])('%j sends nothing', async (body) => {
    const { status, problem } = await api.request('POST', 'channels/EMAIL/test', {
      headers,
      body,
    });

    expect(status).toBe(400);
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/to']);
    expect(await listCampaigns(db, tenant.applicationId, { limit: 1 })).toEqual([]);
  });
});

const PUBLIC_KEY = `B${'A'.repeat(86)}`;
const WEB_PUSH = { subject: 'mailto:ops@example.com' };
const ACCOUNT = {
  type: 'service_account',
  project_id: 'shop',
  client_email: 'sender@shop.iam.gserviceaccount.com',
  private_key: 'no key',
};

describe('PUT channels/WEB_PUSH and channels/APP_PUSH', () => {
  test.each([
    ['WEB_PUSH', {}, ['/subject']],
    ['WEB_PUSH', { subject: 'ops@example.com' }, ['/subject']],
    ['WEB_PUSH', { subject: 'http://example.com' }, ['/subject']],
    ['WEB_PUSH', { subject: 'mailto:ops@example.com\r\nX: y' }, ['/subject']],
    ['WEB_PUSH', { ...WEB_PUSH, publicKey: 'short' }, ['/publicKey']],
    ['WEB_PUSH', { ...WEB_PUSH, privateKey: 'short' }, ['/privateKey']],
    ['WEB_PUSH', { ...WEB_PUSH, publicKey: PUBLIC_KEY }, ['/privateKey']],
    ['WEB_PUSH', { ...WEB_PUSH, publicKey: PUBLIC_KEY, privateKey: '********' }, ['/privateKey']],
    [
      'WEB_PUSH',
      { ...WEB_PUSH, publicKey: PUBLIC_KEY, privateKey: `${'A'.repeat(42)}E` },
      ['/publicKey'],
    ],
    ['WEB_PUSH', { ...WEB_PUSH, privateKey: 'A'.repeat(43) }, ['/privateKey']],
    ['WEB_PUSH', { ...WEB_PUSH, endpoint: 'https://push.example' }, ['/endpoint']],
    ['APP_PUSH', {}, ['/serviceAccount']],
    ['APP_PUSH', { serviceAccount: 'no JSON' }, ['/serviceAccount']],
    ['APP_PUSH', { serviceAccount: 'null' }, ['/serviceAccount']],
    ['APP_PUSH', { serviceAccount: ACCOUNT }, ['/serviceAccount']],
    ['APP_PUSH', { serviceAccount: JSON.stringify(ACCOUNT) }, ['/serviceAccount']],
    ['APP_PUSH', { serviceAccount: ['a'] }, ['/serviceAccount']],
    ['APP_PUSH', { serviceAccount: ACCOUNT, apiBaseUrl: 'ftp://fcm.example' }, ['/apiBaseUrl']],
  ])('%s %j', async (channel, body, pointers) => {
    const { status, problem } = await api.request('PUT', `channels/${channel}`, {
      headers,
      body,
    });

    expect(status).toBe(400);
    expect(problem.errors?.map((error) => error.pointer)).toEqual(pointers);
    expect((await api.request('GET', `channels/${channel}`, { headers })).body).toMatchObject({
      status: 'not_configured',
    });
  });

  test.each([
    ['WEB_PUSH', 'ada'],
    ['WEB_PUSH', JSON.stringify({ endpoint: 'https://fcm.googleapis.com/x' })],
    ['APP_PUSH', 'two words'],
    ['APP_PUSH', 'x'.repeat(2_001)],
  ])('a test send of %s to %j', async (channel, to) => {
    const { status, problem } = await api.request('POST', `channels/${channel}/test`, {
      headers,
      body: { to },
    });

    expect([status, problem.errors?.map((error) => error.pointer)]).toEqual([400, ['/to']]);
  });
});
