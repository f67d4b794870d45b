import { expect, test } from '@jest/globals';
import { callApi } from '@tidings/local';
import { listPeople, previewFor, send } from '../../browser/support/composing.ts';
import type { ScreenIds } from '../../browser/screens/screens.ts';
import {
  acceptOneTimeLink,
  visitDashboard,
  type Person,
  type SignedIn,
} from '../../browser/support/dashboard-visit.ts';
import { LONG_TIMEOUT, type Installation } from './installation.ts';
import { choose } from '../../browser/support/pickers.ts';

/** The tasks of a marketer, with reports and campaigns; and what other roles cannot do. */
export function marketerJourneys(
  installation: () => Installation & { readonly shown: ScreenIds },
): void {
  test('a report opens by an id with spaces and capitals, and explains each reason', async () => {
    const { shown } = installation();
    await using visit = await installation().visit();
    const { page } = visit;
    await visit.open('/');
    await page.getByRole('button', { name: 'Search' }).click(LONG_TIMEOUT);
    const search = page.getByRole('dialog', { name: 'Search' });
    await search
      .getByRole('combobox')
      .fill(`  ${shown.campaignId.toUpperCase().replaceAll('-', ' ')} `);
    await search.getByRole('option', { name: /^Your order is on its way/ }).waitFor(LONG_TIMEOUT);
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Your order is on its way' }).waitFor(LONG_TIMEOUT);
    await page
      .getByText('Register the user, or remove the ID from the recipients.')
      .waitFor(LONG_TIMEOUT);
    await page.getByRole('link', { name: 'Unknown user' }).click();
    await page.getByRole('button', { name: /^unknown-0/ }).waitFor(LONG_TIMEOUT);

    expect(new URL(page.url()).searchParams.get('reason')).toBe('unknown_user');
    expect(await page.getByRole('button', { name: /^ada-/ }).count()).toBe(0);
  }, 60_000);

  test('the legend of the outcome bar links to the recipients', async () => {
    const { shown } = installation();
    await using visit = await installation().visit();
    await visit.open(`/campaigns/${shown.campaignId}`);
    await visit.page.locator('.legend').getByRole('link', { name: 'Delivered' }).click();

    await visit.page.getByRole('button', { name: /^ada-/ }).waitFor(LONG_TIMEOUT);

    expect(await visit.page.getByRole('button', { name: /^unknown-/ }).count()).toBe(0);
  }, 60_000);

  test('a report renders an e-mail with its styles and runs no scripts', async () => {
    const { local } = installation();
    const body =
      '<p id="styled" style="color:rgb(1,2,3)">Hello</p><img src="x" onerror="parent.document.title=1"><script>parent.document.title=1</script>';
    const asServer = {
      baseUrl: local.baseUrl,
      headers: { 'X-Application-Id': local.applicationId, 'X-API-Key': local.serverKey },
    };
    const { campaignId } = await callApi<{ readonly campaignId: string }>(asServer, {
      method: 'POST',
      path: '/push',
      body: {
        recipients: ['unknown-user'],
        channel: 'EMAIL',
        message: { title: 'Coloured', body },
      },
    });
    await using visit = await installation().visit();
    await visit.open(`/campaigns/${campaignId}?tab=message`);
    const mail = visit.page.frameLocator('iframe[title="E-mail"]');
    await mail.locator('#styled').waitFor(LONG_TIMEOUT);

    expect(
      await mail
        .locator('#styled')
        .evaluate((element) => (globalThis as unknown as Styles).getComputedStyle(element).color),
    ).toBe('rgb(1, 2, 3)');
    expect(await visit.page.title()).toBe('Coloured – Tidings');
  }, 60_000);

  test('a segment is tried, created and explained, and the user is shown in it', async () => {
    const { shown } = installation();
    await using visit = await installation().visit();
    const { page } = visit;
    await visit.open('/segments');
    await page.getByRole('link', { name: 'New segment' }).first().click(LONG_TIMEOUT);
    await page.getByLabel('Name', { exact: true }).fill('Visitors with a plan');
    await page.getByLabel('Attribute').fill('plan');
    await page.getByLabel('Value').fill('gold');
    await page.getByText(/^1 user$/).waitFor(LONG_TIMEOUT);
    await page.getByRole('button', { name: 'Count whom each channel reaches' }).click();
    await page.getByText('1 (100 %)').first().waitFor(LONG_TIMEOUT);
    await page.getByLabel('User ID').fill(shown.customUserId);
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('is a member.').waitFor(LONG_TIMEOUT);
    await page.getByRole('button', { name: 'Create segment' }).click();
    await page.getByRole('link', { name: 'Members' }).click(LONG_TIMEOUT);
    await page.getByRole('link', { name: shown.customUserId }).click(LONG_TIMEOUT);
    await page
      .getByRole('navigation', { name: 'User sections' })
      .getByRole('link', { name: 'Segments' })
      .click(LONG_TIMEOUT);
    const row = page.getByRole('row').filter({ hasText: 'Visitors with a plan' });
    await row.waitFor(LONG_TIMEOUT);

    expect(await row.textContent()).toContain('Yes');
    expect(visit.faults).toEqual([]);
  }, 60_000);

  test('a segment gets a message, and the report says whom it was for', async () => {
    await using visit = await installation().visit();
    const { page } = visit;
    await visit.open('/segments/visitors-with-a-plan');
    await page.getByRole('link', { name: 'Send to it' }).click(LONG_TIMEOUT);
    await choose(page, 'Purpose', 'Transactional');
    await page.getByLabel('Subject').fill('For your plan');
    await page.getByLabel('HTML or text').fill('<p>Thank you</p>');
    await page.getByRole('button', { name: 'Check audience' }).click();
    await page.getByText('1 of 1 can be reached by E-mail.').waitFor(LONG_TIMEOUT);
    await send(page);
    await page.getByText('of 1 asked').waitFor(LONG_TIMEOUT);

    await page.getByText('Visitors with a plan version 1').waitFor(LONG_TIMEOUT);
    expect(await page.getByText('plan is gold').count()).toBe(1);
    expect(visit.faults).toEqual([]);
  }, 60_000);

  test('a template is mended, previewed for a user, sent, and named by the report', async () => {
    const { shown } = installation();
    await using visit = await installation().visit();
    const { page } = visit;
    await visit.open('/new-template');
    await page.getByLabel('Name', { exact: true }).fill('Plan news', LONG_TIMEOUT);
    await page.getByLabel('Subject').fill('{{ user.firstName | upper }}, your plan');
    await page.getByLabel('HTML or text').fill('<p>You have {{ user.customAttributes.plan }}</p>');
    await page.getByText(/^Line 1, column \d+: The template cannot be read/).waitFor(LONG_TIMEOUT);
    await page.getByLabel('Subject').fill('{{ user.firstName | upcase }}, your plan');
    await previewFor(page, shown.customUserId);
    await page.getByText('ADA, your plan').waitFor(LONG_TIMEOUT);
    await page.getByRole('button', { name: 'Create template' }).click();
    await page.getByRole('link', { name: 'Send it' }).click(LONG_TIMEOUT);
    await listPeople(page, shown.customUserId);
    await choose(page, 'Purpose', 'Transactional');
    await send(page);
    await page.getByText('of 1 asked').waitFor(LONG_TIMEOUT);

    // The name is read after the report.
    await page.getByText('Plan news version 1').waitFor(LONG_TIMEOUT);
    expect(visit.faults).toEqual([]);
  }, 60_000);

  test('an unknown id shows an error that leads to the search', async () => {
    await using visit = await installation().visit();
    await visit.open('/campaigns/00000000-0000-0000-0000-000000000000');

    await visit.page
      .getByRole('heading', { name: 'This application has no campaign with this ID' })
      .waitFor(LONG_TIMEOUT);

    await visit.page.keyboard.press('Control+k');
    await visit.page.getByRole('combobox', { name: /^Search people, campaigns/ }).waitFor();
  }, 60_000);

  test('a running campaign is paused, resumed and canceled, and its report updates automatically', async () => {
    const campaignId = await slowCampaign(installation());
    await using visit = await installation().visit();
    const { page } = visit;
    await visit.open(installation().inJourneys(`/campaigns/${campaignId}`));
    await page.getByRole('button', { name: 'Pause' }).click(LONG_TIMEOUT);
    await page.getByText(/^Paused\. \d+ messages are waiting/).waitFor(LONG_TIMEOUT);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor(LONG_TIMEOUT);
    await page.getByRole('button', { name: 'Cancel campaign' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel campaign' }).click();

    await page.getByRole('dialog').waitFor({ state: 'detached', ...LONG_TIMEOUT });
    await page
      .getByRole('button', { name: 'Cancel campaign' })
      .waitFor({ state: 'detached', ...LONG_TIMEOUT });

    expect(
      await callApi(installation().asAdmin, { path: `/api/v1/campaigns/${campaignId}` }),
    ).toMatchObject({ status: 'canceled' });
  }, 120_000);

  test('an invited viewer can see a report but not change it; a marketer can', async () => {
    const { local, browser, shown } = installation();
    const viewer = await invite(
      installation(),
      { email: 'vera@shop.example', name: 'Vera Viewer', password: 'thirteen letters and more' },
      'Viewer',
    );
    const marketer = await invite(
      installation(),
      { email: 'mark@shop.example', name: 'Mark Marketer', password: 'fourteen letters and more' },
      'Marketer',
    );
    await using watching = await visitDashboard(browser, local.dashboardUrl, { signedIn: viewer });
    await using working = await visitDashboard(browser, local.dashboardUrl, { signedIn: marketer });
    for (const visit of [watching, working]) {
      await visit.open(`/campaigns/${shown.pausedCampaignId}`);
      await visit.page.getByRole('heading', { name: 'Outcomes' }).waitFor(LONG_TIMEOUT);
    }

    expect(
      await watching.page.getByRole('button', { name: /^(Resume|Cancel campaign)$/ }).count(),
    ).toBe(0);
    expect(
      await watching.page.evaluate<number>(CANCEL(shown.pausedCampaignId, local.applicationId)),
    ).toBe(403);
    await working.page.getByRole('button', { name: 'Cancel campaign' }).click();
    await working.page.getByRole('dialog').getByRole('button', { name: 'Cancel campaign' }).click();
    // Both pages update without a reload.
    for (const { page } of [watching, working])
      await page.locator('.about').getByText('Canceled').waitFor(LONG_TIMEOUT);

    await watching.open('/settings/keys');
    await watching.page.getByRole('table').waitFor(LONG_TIMEOUT);
    expect(
      await watching.page
        .getByRole('button', { name: /New key|Delete|Change to Client key/ })
        .count(),
    ).toBe(0);

    await watching.open('/settings');
    const sections = watching.page.getByRole('navigation', { name: 'Settings', exact: true });
    await sections.getByRole('link', { name: 'Suppressions' }).waitFor(LONG_TIMEOUT);
    expect(await sections.getByRole('link', { name: 'Members' }).count()).toBe(0);
  }, 120_000);
}

/** The part of a frame's global scope that the test uses. */
type Styles = { getComputedStyle(element: unknown): { readonly color: string } };

/** Cancels a campaign from a script in the page, without a button, and returns the status. */
const CANCEL = (campaignId: string, applicationId: string): string =>
  `fetch('/api/v1/session').then((answer) => answer.json()).then(({ csrfToken }) => fetch('/api/v1/campaigns/${campaignId}/cancel', { method: 'POST', headers: { 'X-CSRF-Token': csrfToken, 'X-Application-Id': '${applicationId}' } })).then(({ status }) => status)`;

/** The owner invites a member, who opens the link and sets a password. */
async function invite(installation: Installation, person: Person, role: string): Promise<SignedIn> {
  await using visit = await installation.visit();
  const { page } = visit;
  await visit.open('/settings/members');
  await page.getByRole('button', { name: 'Invite member' }).click(LONG_TIMEOUT);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('E-mail').fill(person.email);
  await dialog.getByLabel('Name').fill(person.name);
  await choose(dialog, 'Role', role);
  await dialog.getByRole('button', { name: 'Invite' }).click();
  const link = (await page.locator('[data-secret]').textContent(LONG_TIMEOUT))?.trim() ?? '';
  return acceptOneTimeLink(installation.browser, link, person);
}

/** Starts a campaign to five recipients on a channel that sends one e-mail every 20 s. */
async function slowCampaign({ local, asAdmin, journeysId }: Installation): Promise<string> {
  const demonstration = {
    ...asAdmin,
    headers: { ...asAdmin.headers, 'X-Application-Id': local.applicationId },
  };
  const { settings } = await callApi<{ readonly settings: { readonly port: number } }>(
    demonstration,
    { path: '/api/v1/channels/EMAIL' },
  );
  const slow = {
    host: '127.0.0.1',
    port: settings.port,
    security: 'none',
    fromAddress: 'hello@journeys.example',
    ratePerSecond: 0.05,
  };
  await callApi(asAdmin, { method: 'PUT', path: '/api/v1/channels/EMAIL', body: slow });
  await callApi(asAdmin, {
    method: 'POST',
    path: '/api/v1/channels/EMAIL/test',
    body: { to: 'operator@journeys.example' },
  });
  const { key } = await callApi<{ readonly key: string }>(asAdmin, {
    method: 'POST',
    path: '/api/v1/keys',
    body: { type: 'server', name: 'Slow campaign' },
  });
  const asServer = {
    baseUrl: local.baseUrl,
    headers: { 'X-Application-Id': journeysId, 'X-API-Key': key },
  };
  const recipients = ['ada', 'bert', 'carl', 'dora', 'emil'];
  const time = Date.now();
  await Promise.all(
    recipients.map((customUserId) =>
      callApi(asServer, {
        method: 'POST',
        path: '/',
        body: {
          customUserId,
          messages: [
            {
              type: 'user',
              id: `slow-${customUserId}`,
              time,
              email: `${customUserId}@journeys.example`,
            },
          ],
        },
      }),
    ),
  );
  const { campaignId } = await callApi<{ readonly campaignId: string }>(asServer, {
    method: 'POST',
    path: '/push',
    body: {
      recipients,
      channel: 'EMAIL',
      message: { title: 'Slowly', body: 'One after the other' },
    },
  });
  return campaignId;
}
