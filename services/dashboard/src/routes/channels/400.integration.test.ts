import { afterAll, describe, expect, test } from '@jest/globals';
import { listCampaigns } from '@tidings/db';
import { EMAIL_SETTINGS } from '../../testing/email-settings.ts';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});
const { db, tenant, asAdmin: headers } = dashboard;

describe('PUT channels/EMAIL', () => {
  test.each([
    [{ host: undefined }, '/host'],
    [{ host: '' }, '/host'],
    [{ host: 'smtp.example.com/x' }, '/host'],
    [{ host: 'smtp example' }, '/host'],
    [{ port: '25' }, '/port'],
    [{ port: 0 }, '/port'],
    [{ port: 65_536 }, '/port'],
    [{ security: 'ssl' }, '/security'],
    [{ fromAddress: 'shop' }, '/fromAddress'],
    [{ fromAddress: 'shop@example.com, evil@x.example' }, '/fromAddress'],
    [{ fromAddress: 'shop@example.com\r\nBcc: evil@x.example' }, '/fromAddress'],
    [{ fromAddress: 'sh\u0000p@example.com' }, '/fromAddress'],
    [{ fromName: 'Shop\r\nBcc: evil@x.example' }, '/fromName'],
    [{ fromName: '\ud800' }, '/fromName'],
    [{ password: 5 }, '/password'],
    [{ password: 'a\u0000b' }, '/password'],
    [{ tls: { rejectUnauthorized: false } }, '/tls'],
  ])('%j', async (change, pointer) => {
    const { status, problem, text } = await dashboard.request('PUT', 'channels/EMAIL', { headers, body: { ...EMAIL_SETTINGS, ...change } });

    expect(status).toBe(400);
    expect(problem.errors?.map((error) => error.pointer)).toEqual([pointer]);
    expect(text).not.toContain('evil');
    expect((await dashboard.request('GET', 'channels/EMAIL', { headers })).body).toMatchObject({ status: 'not_configured' });
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
    const { status, problem } = await dashboard.request('POST', 'channels/EMAIL/test', { headers, body });

    expect(status).toBe(400);
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/to']);
    expect(await listCampaigns(db, tenant.applicationId, { limit: 1 })).toEqual([]);
  });
});
