import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createSetupLink } from '@tidings/local';
import { eventually } from '@tidings/testing';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { injectAxe, seriousFindings } from '../browser/support/axe.ts';
import { launchChromium } from '../browser/support/chromium.ts';
import { written } from '../browser/support/code.ts';
import { listPeople } from '../browser/support/composing.ts';
import { startTidings } from '@tidings/tools/stack/start-tidings';
import { createClient, type Client } from './support/client.ts';
import { choose } from '../browser/support/pickers.ts';

type Running = Awaited<ReturnType<typeof startTidings>>;
let tidings: Running;
let client: Client;
let browser: Browser;
let context: BrowserContext;
let page: Page;

const OWNER = {
  email: 'olga@shop.example',
  name: 'Olga Owner',
  password: 'a few words for this test only',
};
/** Slow enough to observe the campaign while it runs. */
const DELAY_MS = 2_000;
const PATIENT = { timeout: 30_000 };
const url = (path: string): string => `${tidings.local.dashboardUrl}${path}`;

beforeAll(async () => {
  tidings = await startTidings({ name: 'compose', form: 'one-process' });
  client = createClient(tidings.local);
  browser = await launchChromium();
  context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1_280, height: 800 } });
  page = await context.newPage();
  for (const [customUserId, email] of [
    ['ada', 'ada@people.example'],
    ['grace', 'grace@people.example'],
    ['alan', undefined],
  ] as const) {
    await client.submit({
      customUserId,
      messages: [
        { type: 'user', id: customUserId, time: Date.now(), ...(email && { email }) },
        { type: 'action', id: `${customUserId} came`, time: Date.now(), customName: 'first_step' },
      ],
    });
  }
  await client.sandbox('POST', '/api/faults', {
    channel: 'EMAIL',
    kind: 'delay',
    rate: 1,
    delayMs: DELAY_MS,
  });
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await tidings?.stop();
}, 60_000);

test('from the first steps to a delivered message: composed for three users, checked, sent, and followed in the report', async () => {
  await page.goto((await createSetupLink(tidings.local)) ?? '');
  await page.getByLabel('E-mail').fill(OWNER.email);
  await page.getByLabel('Name').fill(OWNER.name);
  await page.getByLabel('Password').fill(OWNER.password);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page
    .getByRole('heading', { name: 'Register a user and send an event (done)' })
    .waitFor(PATIENT);
  const steps = page.getByRole('list').filter({ hasText: 'Create a Server key' });
  await steps.getByRole('link', { name: 'Compose' }).click();

  await listPeople(page, 'ada\ngrace\nalan');
  await choose(page, 'Purpose', 'Transactional');
  await page.getByLabel('Subject').fill('The kettle is on');
  await page.getByLabel('HTML or text').fill('<p>Come round.</p>');
  await page.frameLocator('iframe[title="E-mail"]').getByText('Come round.').waitFor(PATIENT);
  await page.getByRole('button', { name: 'Check audience' }).click();
  await page.getByText('2 of 3 can be reached by E-mail.').waitFor(PATIENT);
  await page.getByRole('row', { name: /alan.*No address/ }).waitFor();
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);

  await page.getByRole('button', { name: 'Send to 3 people' }).click();
  await page.getByRole('button', { name: 'Undo' }).click(PATIENT);
  await page.getByText('Taken back. Nothing was sent.').waitFor(PATIENT);
  await page.waitForURL('**/compose?draft=*', PATIENT);
  const toAda = '/api/messages?channel=EMAIL&to=ada@people.example';
  expect(await client.sandbox('GET', toAda)).toMatchObject({ body: { messages: [] } });

  await page.getByRole('button', { name: 'Send to 3 people' }).click(PATIENT);
  await page.getByRole('heading', { name: 'The kettle is on' }).waitFor(PATIENT);
  await page.evaluate('window.notReloaded = true');
  await page.getByText('Completed', { exact: true }).first().waitFor(PATIENT);

  const campaignId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  expect(await page.evaluate('window.notReloaded')).toBe(true);
  await eventually(async () =>
    expect(await page.getByRole('main').textContent()).toMatch(/Sent2of 3 asked/),
  );
  expect(await client.campaign(campaignId)).toMatchObject({
    source: 'dashboard',
    createdBy: `member:${OWNER.email}`,
    counts: { total: 3, successful: 2, failed: 1 },
    failures: { no_address: 1 },
  });
  expect(
    (await client.sandbox('GET', `/api/messages/counts?channel=EMAIL&campaignId=${campaignId}`))
      .body,
  ).toEqual({ total: 2, unique: 2, repeated: 0 });

  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'First steps' }).click();
  await page.getByText('Your first message was delivered.').waitFor(PATIENT);
  await page.getByText('This installation is one process on Postgres.').waitFor(PATIENT);
}, 180_000);

test('a draft goes on in another browser, is tested, sent once, and duplicated', async () => {
  await page.goto(url('/compose'));
  const nameOf = (of: Page) => of.getByLabel('Name', { exact: true });
  await nameOf(page).fill('Tea time');
  await listPeople(page, 'ada');
  await choose(page, 'Purpose', 'Transactional');
  await page.getByLabel('Subject').fill('Tea is ready');
  await page.getByText(/^Saved \d{1,2}:\d\d$/).waitFor(PATIENT);
  await eventually(() => expect(page.url()).toContain('draft='));

  const elsewhere = await browser.newContext({
    locale: 'en-GB',
    storageState: await context.storageState(),
  });
  const other = await elsewhere.newPage();
  await other.goto(page.url());
  await other.getByLabel('HTML or text').fill('<p>Milk or lemon?</p>');
  await other.getByText(/^Saved \d{1,2}:\d\d$/).waitFor(PATIENT);
  expect(await nameOf(other).inputValue()).toBe('Tea time');
  // The first window learns of it, and loses nothing.
  await eventually(
    async () =>
      expect(await written(page.getByLabel('HTML or text'))).toBe('<p>Milk or lemon?</p>'),
    { timeoutMs: 30_000 },
  );

  await page.getByRole('button', { name: 'Send test to me' }).click();
  const dialog = page.getByRole('dialog', { name: 'Send a test' });
  await dialog.getByLabel('To').fill('ada');
  await dialog.getByRole('button', { name: 'Send test' }).click();
  await dialog.getByText('Sent', { exact: true }).waitFor(PATIENT);
  await dialog.getByRole('button', { name: 'Close' }).click();
  const titles = async () => {
    const path = '/api/messages?channel=EMAIL&to=ada@people.example';
    const { body } = await client.sandbox<{ messages: { title: string }[] }>('GET', path);
    return body.messages.map(({ title }) => title);
  };
  expect(await titles()).toContain('[Test] Tea is ready');

  await page.getByRole('button', { name: 'Send to 1 person' }).click();
  await page.getByRole('heading', { name: 'Tea time' }).waitFor(PATIENT);
  await eventually(async () => expect(await titles()).toContain('Tea is ready'), {
    timeoutMs: 30_000,
  });
  await other.getByLabel('Subject').fill('Coffee is ready');
  await other.getByRole('heading', { name: 'This draft is gone' }).waitFor(PATIENT);
  await elsewhere.close();

  await page.getByRole('button', { name: 'Duplicate' }).click();
  await eventually(async () => expect(await nameOf(page).inputValue()).toBe('Tea time'));
  expect(await written(page.getByLabel('HTML or text'))).toBe('<p>Milk or lemon?</p>');
  expect(await page.getByRole('textbox', { name: 'Recipients' }).inputValue()).toBe('ada');
}, 180_000);

test('everyone is an audience, whose people are shown, also after a reload', async () => {
  await page.goto(url('/compose'));
  await page.getByRole('button', { name: 'Everyone' }).click();
  await page
    .getByText(/can be reached by E-mail$/)
    .first()
    .waitFor(PATIENT);
  await page.getByText(/^Saved /).waitFor(PATIENT);
  await page.reload();
  await page.locator('button[aria-pressed=true]', { hasText: 'Everyone' }).waitFor(PATIENT);
  await page.getByRole('button', { name: 'See who' }).click();
  await page
    .getByRole('complementary', { name: 'Audience' })
    .getByRole('link', { name: /ada/ })
    .waitFor(PATIENT);
});

test('a viewer has no way to send, and the API rejects it', async () => {
  const { csrfToken } = (await (
    await context.request.get(`${tidings.local.baseUrl}/api/v1/session`)
  ).json()) as { readonly csrfToken: string };
  const invited = await context.request.post(`${tidings.local.baseUrl}/api/v1/members`, {
    headers: { 'X-CSRF-Token': csrfToken, Origin: new URL(tidings.local.dashboardUrl).origin },
    data: { email: 'vera@shop.example', name: 'Vera Viewer', role: 'viewer' },
  });
  const { invitationUrl } = (await invited.json()) as { readonly invitationUrl: string };
  const viewer = await browser.newContext({ viewport: { width: 1_280, height: 800 } });
  const own = await viewer.newPage();
  await own.goto(invitationUrl);
  await own.getByLabel('Name').fill('Vera Viewer');
  await own.getByLabel('Password').fill('other words for this test only');
  await own.getByRole('button', { name: 'Continue' }).click();
  await own
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Campaigns' })
    .click();
  await own.getByRole('heading', { name: 'Campaigns', exact: true }).waitFor(PATIENT);

  expect(await own.getByRole('link', { name: 'New campaign' }).count()).toBe(0);
  await own.goto(url('/compose'));
  await own.getByText('Your role can’t send campaigns').waitFor(PATIENT);
  const status = await own.evaluate<number>(`(async () => {
    const { csrfToken, applications: [{ applicationId }] } = await (await fetch('/api/v1/session')).json();
    const headers = { 'X-CSRF-Token': csrfToken, 'X-Application-Id': applicationId, 'Content-Type': 'application/json' };
    return (await fetch('/api/v1/campaigns', { method: 'POST', headers, body: JSON.stringify({ recipients: ['ada'], channel: 'EMAIL', message: { body: 'x' } }) })).status;
  })()`);
  expect(status).toBe(403);
  await viewer.close();
}, 120_000);
