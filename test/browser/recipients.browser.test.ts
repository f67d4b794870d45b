import { expect, test } from '@jest/globals';
import { buildReport } from '@tidings/api/src/routes/campaigns/report.ts';
import { listDeliveriesEndpoint } from '@tidings/api-spec/endpoints/campaigns';
import type { Delivery } from '@tidings/web/src/api/types.ts';
import { buildCampaign, CAMPAIGN_ID } from './support/campaigns.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();
const [example] = (listDeliveriesEndpoint.answer.example as { items: [Delivery] }).items;
const failed = (customUserId: string, reason: Delivery['reason']): Delivery => ({
  ...example,
  deliveryId: `01a1fda0-84a5-72c8-802b-00000000000${customUserId.length}`,
  customUserId,
  status: 'failed',
  reason,
});

test('a recipient for whom nothing was tried is no failure, as in the report', async () => {
  const campaign = buildCampaign({
    counts: { failed: 3 },
    failures: { no_address: 1, left_segment: 1, provider_rejected: 1 },
  });
  await using visit = await pages.visit({
    role: 'viewer',
    answers: {
      [`GET campaigns/${CAMPAIGN_ID}/report`]: { json: buildReport(campaign, []) },
      [`GET campaigns/${CAMPAIGN_ID}/deliveries`]: {
        json: {
          items: [
            failed('ada', 'no_address'),
            failed('jürg', 'left_segment'),
            failed('grace', 'provider_rejected'),
          ],
          nextCursor: null,
        },
      },
    },
  });
  const { page } = visit;
  await visit.open(`/campaigns/${CAMPAIGN_ID}?tab=recipients`);
  const rows = page.getByRole('region', { name: 'Recipients' }).locator('tbody tr');
  await rows.first().waitFor();
  const cells = (name: string) => rows.locator(`td[data-name=${name}]`);

  expect(await cells('Status').allInnerTexts()).toEqual(['Not reached', 'Not reached', 'Failed']);
  expect(await cells('Reason').allInnerTexts()).toEqual([
    'No address',
    'Left the audience',
    'Provider rejected',
  ]);
  expect(
    await cells('Status')
      .locator('.badge')
      .evaluateAll((badges) => badges.map(({ className }) => className)),
  ).toEqual(['badge quiet', 'badge quiet', 'badge bad']);

  await page.getByRole('button', { name: 'jürg' }).click();
  await page.getByRole('dialog').getByText('Not reached').waitFor();
});
