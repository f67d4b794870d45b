import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { callApi, type ApiAccess } from '@tidings/local';
import { eventually } from '@tidings/testing';
import type { Browser } from 'playwright-core';
import { seriousFindings } from '../browser/support/axe.ts';
import { launchChromium } from '../browser/support/chromium.ts';
import { visitDashboard } from '../browser/support/dashboard-visit.ts';
import { prepareScreens } from '../browser/screens/prepare.ts';
import { OUTSIDE_SCREENS, screensOf, type Shown } from '../browser/screens/screens.ts';
import { startTidings } from '../stack/start-tidings.ts';

type Running = Awaited<ReturnType<typeof startTidings>>;
let tidings: Running;
let browser: Browser;
let shown: Shown;
let asAdmin: ApiAccess;

beforeAll(async () => {
  tidings = await startTidings({ name: 'dashboard', services: ['gateway', 'users-consumer', 'events-consumer', 'campaigns', 'worker-email'] });
  const { baseUrl, applicationId, adminToken } = tidings.local;
  asAdmin = { baseUrl, headers: { 'X-Application-Id': applicationId, Authorization: `Bearer ${adminToken}` } };
  shown = await prepareScreens(tidings.local);
  browser = await launchChromium();
}, 600_000);
afterAll(async () => {
  await browser?.close();
  await tidings?.stop();
}, 60_000);

const PATIENT = { timeout: 30_000 };

/** What a frame knows of its own styles. */
type Styles = { getComputedStyle(element: unknown): { readonly color: string } };

describe('the pages', () => {
  test.each(Object.keys(screensOf({ campaignId: '', pausedCampaignId: '', customUserId: '', requestId: '', refusedRequestId: '', slug: '', webhookId: '' })))(
    '%s can be used by everybody: axe finds nothing serious, in light and dark, and nothing breaks its policy',
    async (name) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await using visit = await visitDashboard(browser, tidings.local, { colorScheme, reducedMotion: 'reduce' });
        await visit.open(screensOf(shown)[name] ?? '/');
        await visit.page.locator('h1').waitFor(PATIENT);
        await eventually(async () => expect(await visit.page.locator('.bone').count()).toBe(0), { timeoutMs: 30_000 });

        expect(await seriousFindings(visit.page)).toEqual([]);
        expect(visit.faults).toEqual([]);
      }
    },
    120_000,
  );

  test.each(Object.entries(OUTSIDE_SCREENS))('%s, before the sign-in, too', async (_name, path) => {
    await using visit = await visitDashboard(browser, { ...tidings.local, role: null });
    await visit.open(path);
    await visit.page.locator('h1').waitFor(PATIENT);

    expect(await seriousFindings(visit.page)).toEqual([]);
    expect(visit.faults).toEqual([]);
  }, 60_000);

  test('fit a narrow screen: nothing but tables is wider', async () => {
    await using visit = await visitDashboard(browser, tidings.local, { viewport: { width: 360, height: 700 } });
    for (const path of Object.values(screensOf(shown))) {
      await visit.open(path);
      await visit.page.locator('h1').waitFor(PATIENT);

      expect([path, await visit.page.evaluate<number>('document.documentElement.scrollWidth')]).toEqual([path, 360]);
    }
  }, 180_000);
});

describe('a report', () => {
  test('opens by its id with spaces and capitals, and has an answer for each reason', async () => {
    await using visit = await visitDashboard(browser, tidings.local);
    await visit.open('/campaigns');
    await visit.page.getByLabel('Campaign id').fill(`  ${shown.campaignId.toUpperCase().replaceAll('-', ' ')} `);
    await visit.page.getByRole('button', { name: 'Open the report' }).click();

    await visit.page.getByRole('heading', { name: 'Your order is on its way' }).waitFor(PATIENT);
    await visit.page.getByRole('link', { name: 'Unknown user' }).click();
    await visit.page.getByRole('button', { name: /^nobody-0/ }).waitFor(PATIENT);

    expect(new URL(visit.page.url()).searchParams.get('reason')).toBe('unknown_user');
    expect(await visit.page.getByRole('button', { name: /^ada-/ }).count()).toBe(0);
  }, 60_000);

  test('shows a mail in its colours and lets nothing of it run', async () => {
    await using visit = await visitDashboard(browser, tidings.local);
    const body = '<p id="styled" style="color:rgb(1,2,3)">Hello</p><img src="x" onerror="parent.document.title=1"><script>parent.document.title=1</script>';
    await visit.open('/compose');
    await visit.page.getByLabel('HTML or text').fill(body);
    const mail = visit.page.frameLocator('iframe[title="The mail"]');
    await mail.locator('#styled').waitFor(PATIENT);

    expect(await mail.locator('#styled').evaluate((element) => (globalThis as unknown as Styles).getComputedStyle(element).color)).toBe('rgb(1, 2, 3)');
    expect(await visit.page.title()).toBe('Compose – Tidings');
  }, 60_000);

  test('of an id that nobody knows says so, and takes another', async () => {
    await using visit = await visitDashboard(browser, tidings.local);
    await visit.open('/campaigns/00000000-0000-0000-0000-000000000000');

    await visit.page.getByRole('heading', { name: 'There is no campaign with this id here' }).waitFor(PATIENT);

    expect(await visit.page.getByLabel('Campaign id').count()).toBe(1);
  }, 60_000);
});

test('a key is made, shown once and changed to Client', async () => {
  await using visit = await visitDashboard(browser, tidings.local);
  await visit.open('/settings/keys');
  await visit.page.getByRole('button', { name: 'New key' }).click();
  await visit.page.getByRole('textbox', { name: 'Name' }).fill('Order service');
  await visit.page.getByRole('button', { name: 'Create' }).click();
  const key = await visit.page.locator('[data-secret]').textContent(PATIENT);
  await visit.page.getByRole('button', { name: 'I have copied it' }).click();
  await visit.page.getByRole('button', { name: 'Change Order service to Client' }).click();
  await visit.page.getByRole('button', { name: 'Change to Client' }).click();
  await visit.page.getByText('It is a Client key now.').waitFor(PATIENT);

  expect(key).toMatch(/^sk_/);
  const { items } = await callApi<{ readonly items: readonly { readonly name: string; readonly type: string }[] }>(asAdmin, { path: '/api/v1/keys' });
  expect(items.find(({ name }) => name === 'Order service')?.type).toBe('client');
}, 60_000);

test('a field that the service refuses says why, where it is', async () => {
  await using visit = await visitDashboard(browser, tidings.local);
  await visit.open('/channels/EMAIL');
  await visit.page.getByLabel('SMTP host').fill('not a host!');
  await visit.page.getByRole('button', { name: 'Save' }).click();

  await visit.page.locator('[aria-invalid=true]').waitFor(PATIENT);

  expect(await visit.page.getByLabel('SMTP host').getAttribute('aria-invalid')).toBe('true');
}, 60_000);

test('a viewer is offered nothing that changes anything', async () => {
  await using visit = await visitDashboard(browser, { ...tidings.local, role: 'viewer' });
  await visit.open('/settings/keys');
  await visit.page.getByRole('table').waitFor(PATIENT);

  expect(await visit.page.getByRole('button', { name: /New key|Delete|To Client/ }).count()).toBe(0);
}, 60_000);

test('when the connection is lost the page says so, and catches up', async () => {
  await using visit = await visitDashboard(browser, tidings.local);
  await visit.open('/campaigns');
  await visit.page.getByRole('table').waitFor(PATIENT);
  await visit.context.setOffline(true);

  await visit.page.getByText(/^Connection lost since/).waitFor(PATIENT);
  await visit.context.setOffline(false);

  await visit.page.getByText(/^Connection lost since/).waitFor({ state: 'detached', ...PATIENT });
}, 90_000);
