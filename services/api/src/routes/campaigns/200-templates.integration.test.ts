import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CampaignTemplate } from '@tidings/contracts';
import { acceptCampaign } from '@tidings/delivery/accept';
import { chooseShare } from '@tidings/templates/choose-share';
import { expandAll, newCampaign, registerUsers, someIds } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asServer: headers } = api;
const { applicationId } = tenant;
const ids = someIds(60);
const template = (slug: string, share: number, body = slug): CampaignTemplate => ({
  slug,
  version: 1,
  share,
  message: { title: 'Hi', body },
  variants: [],
});

async function createCampaign(templates: readonly CampaignTemplate[] | null) {
  const campaign = newCampaign({ applicationId, recipients: ids, templates });
  await acceptCampaign(db, campaign);
  await expandAll(db, campaign.campaignId);
  return campaign.campaignId;
}

beforeAll(() =>
  registerUsers(
    db,
    applicationId,
    Object.fromEntries(ids.map((id, index) => [id, index === 0 ? {} : { firstName: `<${id}>` }])),
  ),
);

test('GET campaigns/{campaignId}/templates counts the outcomes of each', async () => {
  const shares = [3, 1, 2];
  const campaignId = await createCampaign(
    shares.map((share, index) => template(`t${index}`, share)),
  );
  const of = (id: string) => chooseShare(campaignId, id, shares);
  const states = ['clicked', 'opened', 'sent', 'failed', 'pending'];
  await db.sql.query(
    `update deliveries set state = ($2::text[])[1 + (substring(custom_user_id from '[0-9]+$')::int % 5)] where campaign_id = $1`,
    [campaignId, states],
  );

  const { status, body } = await api.request('GET', `campaigns/${campaignId}/templates`, {
    headers,
  });

  const expected = shares.map((share, index) => {
    const own = ids.filter((id) => of(id) === index).map((id) => Number(id.split('-').at(-1)) % 5);
    const count = (most: number) => own.filter((state) => state <= most).length;
    return {
      slug: `t${index}`,
      version: 1,
      share,
      counts: {
        recipients: own.length,
        successful: count(2),
        delivered: count(1),
        opened: count(1),
        clicked: count(0),
        failed: own.filter((state) => state === 3).length,
      },
    };
  });
  expect(status).toBe(200);
  expect(body['items']).toEqual(expected);
});

test('a campaign that is not personalised has none', async () => {
  const campaignId = await createCampaign(null);

  expect(
    (await api.request('GET', `campaigns/${campaignId}/templates`, { headers })).body['items'],
  ).toEqual([]);
});

test('POST campaigns/{campaignId}/render renders as it would be sent now', async () => {
  const campaignId = await createCampaign([template('own', 1, '<p>{{ user.firstName }}')]);
  const render = async (customUserId: string) =>
    (
      await api.request('POST', `campaigns/${campaignId}/render`, {
        headers,
        body: { customUserId },
      })
    ).body;

  expect(await render(ids[1] ?? '')).toMatchObject({
    message: { title: 'Hi', body: `<p>&lt;${ids[1]}&gt;` },
    asOf: expect.any(Number),
  });
  expect(await render(ids[0] ?? '')).toMatchObject({
    fault: { code: 'missing_variable', detail: 'user.firstName is missing' },
  });
});

test('POST campaigns/{campaignId}/render of a user who is not registered', async () => {
  const campaignId = await createCampaign([template('own', 1)]);

  const { status } = await api.request('POST', `campaigns/${campaignId}/render`, {
    headers,
    body: { customUserId: 'nobody' },
  });

  expect(status).toBe(404);
});
