import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CampaignTemplate } from '@tidings/contracts/push/templates';
import type { Condition } from '@tidings/contracts/segments/conditions';
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
type Rate = { readonly rate: number; readonly low: number; readonly high: number };
type Compared = { readonly rates: { readonly opened: Rate | null; readonly clicked: Rate | null } };
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
  const states = ['clicked', 'opened', 'sent', 'failed', 'failed', 'pending'];
  const reasons = [null, null, null, 'template_error', 'no_address', null];
  await db.sql.query(
    `update deliveries d set state = ($2::text[])[n], reason = ($3::text[])[n]
     from (select id, 1 + substring(custom_user_id from '[0-9]+$')::int % 6 as n from deliveries) as x
     where x.id = d.id and campaign_id = $1`,
    [campaignId, states, reasons],
  );

  const { status, body } = await api.request('GET', `campaigns/${campaignId}/templates`, {
    headers,
  });

  const expected = shares.map((share, index) => {
    const own = ids.filter((id) => of(id) === index).map((id) => Number(id.split('-').at(-1)) % 6);
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
        failed: own.filter((state) => state === 3 || state === 4).length,
        notReachable: own.filter((state) => state === 4).length,
      },
    };
  });
  expect(status).toBe(200);
  const items = (body['items'] as readonly Compared[]).map(({ rates: _rates, ...item }) => item);
  expect(items).toEqual(expected);
});

test('the rates have intervals, and the best one its certainty', async () => {
  const campaignId = await createCampaign([template('a', 1), template('b', 1)]);
  const isA = (id: string) => chooseShare(campaignId, id, [1, 1]) === 0;
  await db.sql.query(
    `update deliveries set state = case when custom_user_id = any($2) then 'clicked' else 'sent' end
     where campaign_id = $1`,
    [campaignId, ids.filter(isA)],
  );

  const { body } = await api.request('GET', `campaigns/${campaignId}/templates`, { headers });

  // All of one and none of the other.
  const [a, b] = body['items'] as readonly Compared[];
  expect(a?.rates.clicked).toEqual({ rate: 1, low: expect.any(Number), high: 1 });
  expect(b?.rates.opened).toEqual({ rate: 0, low: 0, high: expect.any(Number) });
  const best = { index: 0, certainty: expect.any(Number), isBetter: true };
  expect(body['best']).toEqual({ opened: best, clicked: best });
});

test('a channel that reports no opens has no rates of them', async () => {
  const campaign = newCampaign({
    applicationId,
    recipients: ids,
    channel: 'SMS',
    templates: [template('a', 1), template('b', 1)],
  });
  await acceptCampaign(db, campaign);

  const path = `campaigns/${campaign.campaignId}/templates`;
  const { body } = await api.request('GET', path, { headers });

  expect((body['items'] as readonly Compared[])[0]?.rates).toEqual({ opened: null, clicked: null });
  expect(body['best']).toEqual({ opened: null, clicked: null });
});

test('a campaign that is not personalised has none', async () => {
  const campaignId = await createCampaign(null);

  expect(
    (await api.request('GET', `campaigns/${campaignId}/templates`, { headers })).body,
  ).toMatchObject({ items: [], best: { opened: null, clicked: null } });
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
    template: { slug: 'own', version: 1 },
    variant: null,
    asOf: expect.any(Number),
  });
  expect(await render(ids[0] ?? '')).toMatchObject({
    fault: { code: 'missing_variable', detail: 'user.firstName is missing' },
  });
});

test.each([
  ['HTML', '<p>{{ user.firstName }}', true],
  ['text that looks like HTML with its values', '<{{ user.firstName }}>', false],
])('a render tells that a mail is %s', async (_what, text, isHtml) => {
  const campaignId = await createCampaign([template('own', 1, text)]);

  const { body } = await api.request('POST', `campaigns/${campaignId}/render`, {
    headers,
    body: { customUserId: ids[1] },
  });

  expect(body).toMatchObject({ isHtml });
});

test('a render of a campaign that is not personalised tells it too', async () => {
  const campaignId = await createCampaign(null);

  const { body } = await api.request('POST', `campaigns/${campaignId}/render`, {
    headers,
    body: { customUserId: ids[1] },
  });

  expect(body).toMatchObject({ template: null, isHtml: false });
});

test('each delivery of a split names the template that is rendered for it', async () => {
  const shares = [1, 2];
  const campaignId = await createCampaign([template('a', 1), template('b', 2)]);

  const { body } = await api.request('GET', `campaigns/${campaignId}/deliveries?limit=100`, {
    headers,
  });

  const items = body['items'] as { customUserId: string; template: unknown }[];
  const slugOf = (id: string) => (chooseShare(campaignId, id, shares) === 0 ? 'a' : 'b');
  expect(Object.fromEntries(items.map((item) => [item.customUserId, item.template]))).toEqual(
    Object.fromEntries(ids.map((id) => [id, { slug: slugOf(id), version: 1 }])),
  );
  for (const id of ids.slice(1, 9)) {
    const rendered = await api.request('POST', `campaigns/${campaignId}/render`, {
      headers,
      body: { customUserId: id },
    });
    expect(rendered.body).toMatchObject({
      message: { body: slugOf(id) },
      template: { slug: slugOf(id), version: 1 },
    });
  }
});

test('a render names the variant', async () => {
  const message = { title: 'Ada', body: 'x' };
  const condition: Condition = { field: 'firstName', is: `<${ids[1]}>` };
  const variant = { name: 'First', condition, message };
  const campaignId = await createCampaign([{ ...template('own', 1), variants: [variant] }]);

  const { body } = await api.request('POST', `campaigns/${campaignId}/render`, {
    headers,
    body: { customUserId: ids[1] },
  });

  expect(body).toMatchObject({ message, variant: 'First' });
});

test('POST campaigns/{campaignId}/render of a user who is not registered', async () => {
  const campaignId = await createCampaign([template('own', 1)]);

  const { status } = await api.request('POST', `campaigns/${campaignId}/render`, {
    headers,
    body: { customUserId: 'nobody' },
  });

  expect(status).toBe(404);
});
