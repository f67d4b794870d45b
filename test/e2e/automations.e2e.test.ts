import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { adminAccess, callApi } from '@tidings/install';
import { eventually } from '@tidings/testing';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../browser/support/chromium.ts';
import { acceptOneTimeLink, visitDashboard } from '../browser/support/dashboard-visit.ts';
import { choose } from '../browser/support/pickers.ts';
import { shareTidings } from '../stack/share-tidings.ts';
import { createClient, type Client } from './support/client.ts';

const MARKETER = {
  email: 'marta.automations@shop.example',
  name: 'Marta',
  password: 'a few words for this test only',
};
const PATIENT = { timeout: 30_000 };

let tidings: Awaited<ReturnType<typeof shareTidings>>;
let client: Client;
let browser: Browser;

beforeAll(async () => {
  tidings = await shareTidings('Automations');
  client = createClient(tidings.local);
  browser = await launchChromium();
  const admin = adminAccess(tidings.local.baseUrl, tidings.local);
  for (const [kind, name] of [
    ['action', 'cart_filled'],
    ['revenue', 'order_paid'],
  ])
    await callApi(admin, { method: 'POST', path: '/api/v1/definitions', body: { kind, name } });
  await client.submit({
    customUserId: 'ada',
    messages: [{ type: 'user', id: 'register-ada', time: Date.now(), email: 'ada@shop.example' }],
  });
  await eventually(() => client.read('users/ada'), { timeoutMs: 30_000 });
}, 240_000);
afterAll(() => browser?.close());

test('a marketer makes an abandoned cart from a recipe by mouse, activates it, and sees who is in it', async () => {
  const { local } = tidings;
  const { invitationUrl } = await callApi<{ readonly invitationUrl: string }>(
    adminAccess(local.baseUrl, local),
    {
      method: 'POST',
      path: '/api/v1/members',
      body: { email: MARKETER.email, name: MARKETER.name, role: 'marketer' },
    },
  );
  const signedIn = await acceptOneTimeLink(browser, invitationUrl, MARKETER);
  await using visit = await visitDashboard(browser, local.dashboardUrl, {
    signedIn,
    viewport: { width: 1_440, height: 900 },
  });
  const { page } = visit;
  await visit.open(`/automations?application=${local.applicationId}`);
  await page.getByRole('button', { name: /^Abandoned cart/ }).click(PATIENT);
  const dialog = page.getByRole('dialog', { name: 'Abandoned cart' });
  await choose(dialog, 'They fill the cart', 'cart_filled');
  await choose(dialog, 'They order', 'order_paid');
  await dialog.getByRole('button', { name: 'Open the draft' }).click();
  await page.getByText('E-mail: Still yours', { exact: true }).click(PATIENT);
  await page.getByLabel('Subject').fill('Your cart waits');
  await page.getByRole('treeitem', { name: /^E-mail: Your cart waits/ }).waitFor();
  await page.getByRole('button', { name: 'Activate…' }).click();
  await page.getByRole('button', { name: 'Activate', exact: true }).click(PATIENT);
  await page.getByText('Active', { exact: true }).waitFor(PATIENT);

  await client.submit({
    customUserId: 'ada',
    messages: [{ type: 'action', id: 'cart-1', time: Date.now(), customName: 'cart_filled' }],
  });
  await eventually(
    async () => {
      const { items } = await client.read<{ readonly items: readonly object[] }>(
        'automations/abandoned-cart/runs',
      );
      expect(items).toMatchObject([{ customUserId: 'ada', node: 'wait1' }]);
    },
    { timeoutMs: 30_000 },
  );
  await page.getByRole('link', { name: 'People' }).click();
  await page.getByRole('button', { name: 'ada', exact: true }).click(PATIENT);
  await page.getByText('Wait 1 hour: waits').waitFor(PATIENT);
  expect(visit.faults).toEqual([]);
}, 120_000);
