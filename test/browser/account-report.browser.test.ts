import { describe, expect, test } from '@jest/globals';
import { buildReport } from '@tidings/api/src/routes/campaigns/report.ts';
import { listDeliveriesEndpoint } from '@tidings/api-spec/endpoints/campaigns';
import type { Delivery } from '@tidings/web/src/api/types.ts';
import type { Locator } from 'playwright-core';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { buildCampaign, CAMPAIGN_ID } from './support/campaigns.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();
const MAIL = 'mina@example.com';

/** Where the two parts of “name, address” begin. */
const leftsOf = (text: Locator, address: string): Promise<readonly number[]> =>
  text.evaluate(({ firstChild: node }, part) => {
    const at = node?.textContent?.indexOf(part) ?? -1;
    return [0, at].map((start) => {
      const range = document.createRange();
      range.setStart(node as Node, start);
      range.setEnd(node as Node, start === 0 ? at - 2 : at + part.length);
      return range.getBoundingClientRect().left;
    });
  }, address);

describe('a campaign that several accounts sent', () => {
  const campaign = buildCampaign({ counts: { successful: 90, failed: 8, unknown: 2 } });
  const accounts = [
    { name: 'main', sent: 60, delivered: 41, failed: 5, unknown: 2 },
    { name: 'spare', sent: 30, delivered: 30, failed: 3, unknown: 0 },
  ];
  const [example] = (listDeliveriesEndpoint.answer.example as { items: [Delivery] }).items;
  const deliveries: readonly Delivery[] = [
    { ...example, customUserId: 'ada', account: 'main', accountReason: 'share' },
    {
      ...example,
      deliveryId: '01a1fda0-84a5-72c8-802b-000000000002',
      customUserId: 'grace',
      person: {
        firstName: 'مينا',
        lastName: 'كريمي',
        email: MAIL,
        phoneNumber: null,
      },
      account: 'spare',
      accountReason: 'not_accepted',
    },
  ];
  const visitReport = (sent: typeof accounts) =>
    pages.visit({
      role: 'viewer',
      answers: {
        [`GET campaigns/${CAMPAIGN_ID}/report`]: {
          json: buildReport({ ...campaign, channel: 'SMS' }, sent),
        },
        [`GET campaigns/${CAMPAIGN_ID}/deliveries`]: {
          json: { items: deliveries, nextCursor: null },
        },
      },
    });

  test('has their numbers in its report', async () => {
    await using opened = await visitReport(accounts);
    const { page } = opened;
    await opened.open(`/campaigns/${CAMPAIGN_ID}`);
    const table = page.getByRole('region', { name: 'Outcomes by account' });
    await table.waitFor();

    expect(await table.getByRole('row').allInnerTexts()).toEqual([
      'Account\tSent\tDelivered\tFailed\tUnknown',
      'main\t60\t41\t5\t2',
      'spare\t30\t30\t3\t0',
    ]);
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);
  });

  test('has the account of each recipient, and why it was that one', async () => {
    await using opened = await visitReport(accounts);
    const { page } = opened;
    await page.setViewportSize({ width: 1_440, height: 800 });
    await opened.open(`/campaigns/${CAMPAIGN_ID}?tab=recipients`);
    const row = page.getByRole('row').filter({ hasText: 'grace' });
    await row.getByText('spare').waitFor();
    await row.getByText('The account before it certainly did not accept the message').waitFor();
    // The name stands before the address, in whichever direction it is written.
    const [name = 0, address = 0] = await leftsOf(row.getByText(MAIL), MAIL);
    expect(name).toBeLessThan(address);
    await page.getByRole('button', { name: 'ada' }).click();

    await page.getByRole('dialog').getByText('Chosen by the shares of the accounts.').waitFor();
  });

  test('says nothing of accounts while the channel has one', async () => {
    await using opened = await visitReport([]);
    const { page } = opened;
    await opened.open(`/campaigns/${CAMPAIGN_ID}`);
    await page.getByRole('heading', { name: 'Origin' }).waitFor();
    expect(await page.getByText('By account').count()).toBe(0);
  });
});
