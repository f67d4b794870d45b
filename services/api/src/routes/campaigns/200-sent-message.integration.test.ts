import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CampaignTemplate } from '@tidings/contracts/push/templates';
import { acceptCampaign } from '@tidings/delivery/accept';
import { readCampaignsToSend } from '@tidings/delivery/campaigns-to-send';
import { claimChunk } from '@tidings/delivery/claims';
import { markGroupsSending } from '@tidings/delivery/mark-sending';
import { systemIds } from '@tidings/platform';
import { RENDERER_VERSION } from '@tidings/liquid/filling';
import type { TemplateContext } from '@tidings/liquid/template-context';
import { renderCampaign } from '@tidings/templates/render-campaign';
import { RenderFault } from '@tidings/liquid/render-fault';
import { configureChannel, expandAll, newCampaign, registerUsers } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asServer: headers } = api;
const { applicationId } = tenant;

const WELCOME: CampaignTemplate = {
  slug: 'welcome',
  version: 3,
  share: 1,
  message: {
    title: 'Hi {{ user.firstName }}',
    body: '<p>{{ user.firstName }}, {{ "now" | date: "%s" }}</p><a href="{{ unsubscribeUrl }}">x</a>',
  },
  variants: [
    {
      name: 'in Ulm',
      condition: { field: 'city', is: 'Ulm' },
      message: { title: 'Ulm', body: 'Hello {{ user.firstName }}' },
    },
  ],
};

beforeAll(async () => {
  await configureChannel(db, applicationId, 'EMAIL');
  await registerUsers(db, applicationId, {
    ada: { firstName: '<Ada>', email: 'ada@example.org' },
    bob: { firstName: 'Bob', city: 'Ulm', email: 'bob@example.org' },
  });
});

async function createCampaign(
  customUserId: string,
  templates: readonly CampaignTemplate[] | null = [WELCOME],
  format?: string,
) {
  const campaign = newCampaign({
    applicationId,
    recipients: [customUserId],
    templates,
    message: {
      title: 'Plain',
      body: '<p>For <b>all</b></p>',
      ...(format !== undefined && { format }),
    },
  });
  await acceptCampaign(db, campaign);
  await expandAll(db, campaign.campaignId);
  return campaign.campaignId;
}

/** Marks the only delivery as a worker does, and returns it. */
async function begin(
  campaignId: string,
  customUserId: string,
  {
    isKept = true,
    renderer = RENDERER_VERSION,
    contexts = new Map(),
  }: {
    readonly isKept?: boolean;
    readonly renderer?: number;
    readonly contexts?: ReadonlyMap<string, TemplateContext>;
  } = {},
) {
  const campaign = (await readCampaignsToSend(db.sql, [campaignId])).get(campaignId);
  const templates = campaign?.templates ?? null;
  const [claimed] = await claimChunk(db, {
    campaignId,
    chunkNo: templates === null ? 0 : -1,
    owner: 'test',
    leaseMs: 30_000,
    rowsMax: 1,
  });
  if (campaign === undefined || claimed === undefined) throw new Error('nothing was claimed');
  if (templates === null || !isKept) {
    await markGroupsSending(db, [[claimed]], 30_000);
    return { deliveryId: claimed.deliveryId, sent: null };
  }
  const rendered = await renderCampaign(
    db,
    { ...campaign, templates },
    { customUserIds: [customUserId], contexts },
  );
  const own = rendered === 'timed_out' ? null : (rendered.get(customUserId) ?? null);
  if (own === null || own.message instanceof RenderFault || own.message.filling === undefined)
    throw new Error('nothing was rendered');
  const { filling } = own.message;
  const { templateNo, variantNo } = own;
  const data = { ...filling, templateNo, variantNo, renderer };
  await markGroupsSending(db, [[{ ...claimed, data }]], 30_000);
  return { deliveryId: claimed.deliveryId, sent: filling };
}

const read = (campaignId: string, deliveryId: string) =>
  api.request('GET', `campaigns/${campaignId}/deliveries/${deliveryId}/message`, { headers });

describe('the message of a delivery', () => {
  test('has the words that were sent, though the profile changed since', async () => {
    const campaignId = await createCampaign('ada');
    const { deliveryId, sent } = await begin(campaignId, 'ada');
    await db.sql.query(
      `update users set fields = '{"firstName":"Eve","city":"Ulm"}' where application_id = $1 and custom_user_id = 'ada'`,
      [applicationId],
    );

    const { status, body } = await read(campaignId, deliveryId);

    const seconds = Math.floor((sent?.renderedAt ?? 0) / 1000);
    expect(status).toBe(200);
    expect(body).toEqual({
      message: {
        title: 'Hi <Ada>',
        body: `<p>&lt;Ada&gt;, ${seconds}</p><a href="{{unsubscribeUrl}}">x</a>`,
      },
      isHtml: true,
      text: expect.stringMatching(`<Ada>, ${seconds}\\s+x \\[{{unsubscribeUrl}}\\]$`),
      template: { slug: 'welcome', version: 3 },
      variant: null,
      values: { firstName: '<Ada>' },
      renderedAt: sent?.renderedAt,
    });
  });

  test('is that of the variant that was sent', async () => {
    const campaignId = await createCampaign('bob');
    const { deliveryId } = await begin(campaignId, 'bob');

    expect((await read(campaignId, deliveryId)).body).toMatchObject({
      message: { title: 'Ulm', body: 'Hello Bob' },
      isHtml: false,
      text: 'Hello Bob',
      variant: 'in Ulm',
    });
  });

  test('of an automation has the values of its event', async () => {
    const body = '<p>{{ event.attributes.title }}: {{ event.time | date: "%d.%m." }}</p>';
    const message = { title: '{{ event.name }} {{ run.id }}', body };
    const campaignId = await createCampaign('bob', [{ ...WELCOME, message, variants: [] }]);
    const attributes = { title: '<Pen>', secret: 's3cret' };
    const time = Date.UTC(2026, 4, 3, 12);
    const event = { name: 'cart', time, attributes, revenue: null, currency: null };
    const contexts = new Map([['bob', { event, run: { id: 'r1', enteredAt: time } }]]);
    const { deliveryId } = await begin(campaignId, 'bob', { contexts });

    expect((await read(campaignId, deliveryId)).body).toMatchObject({
      message: { title: 'cart r1', body: '<p>&lt;Pen&gt;: 03.05.</p>' },
      // What it does not show is not kept.
      values: { event: { name: 'cart', time, attributes: { title: '<Pen>' } }, run: { id: 'r1' } },
    });
  });

  test('is not guessed where this version makes other words of it', async () => {
    const campaignId = await createCampaign('bob');
    const { deliveryId, sent } = await begin(campaignId, 'bob');
    await db.sql.query('update delivery_data set words = $2 where campaign_id = $1', [
      campaignId,
      systemIds.uuid(),
    ]);

    expect((await read(campaignId, deliveryId)).body).toEqual({
      unknown: 'renderer_changed',
      template: { slug: 'welcome', version: 3 },
      variant: 'in Ulm',
      values: { firstName: 'Bob' },
      renderedAt: sent?.renderedAt,
    });
  });

  test('has no plain text where another renderer made it', async () => {
    const campaignId = await createCampaign('bob');
    const { deliveryId } = await begin(campaignId, 'bob', { renderer: RENDERER_VERSION + 1 });

    const { body } = await read(campaignId, deliveryId);

    expect(body).toMatchObject({ message: { body: 'Hello Bob' } });
    expect(body).not.toHaveProperty('text');
  });

  test('is not known before the first attempt, nor without a record', async () => {
    const campaignId = await createCampaign('bob');
    const { rows } = await db.sql.query<{ id: string }>(
      'select id from deliveries where campaign_id = $1',
      [campaignId],
    );
    const nothing = { template: null, variant: null, values: null, renderedAt: null };

    expect((await read(campaignId, rows[0]?.id ?? '')).body).toEqual({
      ...nothing,
      unknown: 'not_sent',
    });
    const { deliveryId } = await begin(campaignId, 'bob', { isKept: false });
    expect((await read(campaignId, deliveryId)).body).toEqual({ ...nothing, unknown: 'not_kept' });
  });

  test('of a campaign that is not personalised is the same for all', async () => {
    const campaignId = await createCampaign('bob', null);
    const { deliveryId } = await begin(campaignId, 'bob');

    expect((await read(campaignId, deliveryId)).body).toEqual({
      message: { title: 'Plain', body: '<p>For <b>all</b></p>' },
      isHtml: true,
      text: 'For all',
      template: null,
      variant: null,
      values: null,
      renderedAt: null,
    });
  });

  test('is text where its format says so', async () => {
    const campaignId = await createCampaign('bob', null, 'text');
    const { deliveryId } = await begin(campaignId, 'bob');

    expect((await read(campaignId, deliveryId)).body).toMatchObject({
      isHtml: false,
      text: '<p>For <b>all</b></p>',
    });
  });

  test('is found only below its campaign', async () => {
    const [campaignId, other] = [await createCampaign('bob'), await createCampaign('bob')];
    const { deliveryId } = await begin(campaignId, 'bob');

    expect((await read(other, deliveryId)).status).toBe(404);
    expect((await read(campaignId, systemIds.uuid())).status).toBe(404);
  });
});
