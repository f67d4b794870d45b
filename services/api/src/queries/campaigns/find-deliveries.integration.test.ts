import { afterAll, expect, test } from '@jest/globals';
import { connectTestDatabase, createSendingCampaign } from '@tidings/testing';
import { findDeliveries, type DeliveriesQuery } from './find-deliveries.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

/** The customUserIds of each page. */
async function pagesOf(campaignId: string, query: DeliveriesQuery): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | null = null;
  do {
    const page = await findDeliveries(db, campaignId, {
      ...query,
      ...(cursor !== null && { cursor }),
    });
    if (page === null) throw new Error('the cursor is unknown');
    pages.push(page.items.map(({ customUserId }) => customUserId));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return pages;
}

test.each([{}, { states: ['pending' as const] }])(
  'pages follow the order of the recipients, for every order of chunk expansion: %j',
  async (filter) => {
    const campaign = await createSendingCampaign(db, { count: 450 });
    await db.sql.query(
      'update deliveries set id = uuidv7() where campaign_id = $1 and chunk_no = 0',
      [campaign.campaignId],
    );
    const { rows } = await db.sql.query<{ custom_user_id: string }>(
      'select custom_user_id from deliveries where campaign_id = $1 order by chunk_no, id',
      [campaign.campaignId],
    );

    const pages = await pagesOf(campaign.campaignId, { limit: 170, ...filter });

    expect(pages.map((page) => page.length)).toEqual([170, 170, 110]);
    expect(pages.flat()).toEqual(rows.map((row) => row.custom_user_id));
  },
);

test('a cursor that is not a delivery of the campaign is invalid', async () => {
  const [campaign, other] = [await createSendingCampaign(db), await createSendingCampaign(db)];
  const found = await findDeliveries(db, other.campaignId, { limit: 1 });

  expect(
    await findDeliveries(db, campaign.campaignId, {
      limit: 1,
      cursor: String(found?.items[0]?.deliveryId),
    }),
  ).toBeNull();
});
