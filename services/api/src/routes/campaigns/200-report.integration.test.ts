import { afterAll, describe, expect, test } from '@jest/globals';
import { changeDeliveryStates } from '@tidings/delivery/change-states';
import { claimChunk } from '@tidings/delivery/claims';
import { createSendingCampaign, configureEmail, someIds } from '@tidings/testing';
import { createWebhookEndpoint } from '@tidings/webhook-queue/endpoints';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant } = api;
await configureEmail(db, tenant.applicationId);
await db.sql.query(`update channel_settings set status = 'ready' where application_id = $1`, [
  tenant.applicationId,
]);
const webhook = await createWebhookEndpoint(db, api.deps.box, {
  applicationId: tenant.applicationId,
  url: 'https://hooks.example/',
  description: '',
  kinds: ['message.sent'],
  channels: [],
});

/** Recipients whose ids look like formulas: two are sent to, the third fails. */
const recipients = ['=1+1', '@x', ...someIds(4)];
const campaign = await createSendingCampaign(db, {
  applicationId: tenant.applicationId,
  recipients,
});
const { campaignId } = campaign;
const claimed = (
  await claimChunk(db, { campaignId, chunkNo: 0, owner: 'worker', leaseMs: 60_000, rowsMax: 6 })
).toSorted((a, b) => (a.deliveryId < b.deliveryId ? -1 : 1));
await changeDeliveryStates(
  db.sql,
  ['claimed'],
  claimed.slice(0, 3).map(({ deliveryId, fence }, index) => ({
    deliveryId,
    fence,
    ...(index < 2
      ? { state: index === 0 ? ('sent' as const) : ('opened' as const) }
      : { state: 'failed' as const, reason: 'no_address' as const }),
  })),
);

type Page<T = Record<string, unknown>> = {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
};
const get = <T>(path: string) => api.request<T>('GET', path, { headers: api.asServer });

describe('GET campaigns/{id}/report', () => {
  test('has the funnel, and failures with remedies', async () => {
    const { body } = await get<Record<string, unknown>>(`campaigns/${campaignId}/report`);

    expect(body['funnel']).toEqual(
      Object.entries({
        requested: 6,
        unique: 6,
        reachable: 5,
        sent: 2,
        delivered: 2,
        displayed: 1,
        opened: 1,
        clicked: 0,
      }).map(([step, count]) => ({
        step,
        count,
        isReported: step !== 'delivered' && step !== 'displayed',
      })),
    );
    expect(body['failures']).toEqual([
      { reason: 'no_address', count: 1, summary: expect.any(String), remedy: expect.any(String) },
    ]);
    expect(body['campaign']).toEqual((await get(`campaigns/${campaignId}`)).body);
  });

  test('accepts an id in upper case with surrounding spaces', async () => {
    expect((await get(`campaigns/%20${campaignId.toUpperCase()}%20%20/report`)).status).toBe(200);
    expect(
      (await get<Record<string, unknown>>(`campaigns/%09${campaignId}`)).body['campaignId'],
    ).toBe(campaignId);
  });
});

describe('GET campaigns/{id}/deliveries', () => {
  const idsOf = async (query: string) =>
    (await get<Page>(`campaigns/${campaignId}/deliveries?${query}`)).body.items.map(
      ({ customUserId }) => customUserId,
    );

  test.each([
    ['group=successful', 2],
    ['group=pending', 3],
    ['group=failed&reason=no_address', 1],
    ['group=not_reachable', 1],
    ['group=not_reachable&reason=no_address', 1],
    ['group=not_reachable&reason=provider_rejected', 0],
    ['group=failed_attempts', 0],
    ['status=opened', 1],
    ['status=opened&group=failed', 0],
    ['reason=no_address', 1],
    ['reason=unknown_user', 0],
    ['customUserId=%3D1%2B1', 1],
    ['customUserId=%3D1%2B1&status=clicked', 0],
  ])('%s finds %i', async (query, count) => {
    expect(await idsOf(query)).toHaveLength(count);
  });

  test('pages through the filtered ones, each once', async () => {
    const first = (await get<Page>(`campaigns/${campaignId}/deliveries?group=pending&limit=2`))
      .body;
    const second = (
      await get<Page>(
        `campaigns/${campaignId}/deliveries?group=pending&limit=2&cursor=${first.nextCursor}`,
      )
    ).body;

    expect([first.items.length, second.items.length, second.nextCursor]).toEqual([2, 1, null]);
    expect(
      new Set([...first.items, ...second.items].map(({ deliveryId }) => deliveryId)).size,
    ).toBe(3);
  });
});

describe('as CSV', () => {
  test('recipients are a file without formulas', async () => {
    const { status, headers, text } = await get(
      `campaigns/${campaignId}/deliveries?format=csv&limit=1`,
    );
    const [header = '', ...lines] = text.split('\r\n');

    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      200,
      'text/csv; charset=utf-8',
      'attachment; filename="campaigns-deliveries.csv"',
    ]);
    expect(header).toMatch(/^deliveryId,customUserId,serviceUserId,status,reason,/);
    expect(lines).toHaveLength(recipients.length + 1);
    expect(lines.map((line) => line.split(',')[1]).filter((id) => id?.startsWith("'"))).toEqual([
      "'=1+1",
      "'@x",
    ]);
    expect(text).not.toMatch(/(^|,)"?[=+@]/m);
  });

  test('the Accept header works too, with filters', async () => {
    const { text } = await api.request(
      'GET',
      `campaigns/${campaignId}/deliveries?reason=no_address`,
      { headers: { ...api.asServer, Accept: 'text/csv' } },
    );

    expect(text.trim().split('\r\n')).toHaveLength(2);
  });

  test('has a byte order mark for spreadsheets', async () => {
    const answer = await fetch(`${api.url}/api/v1/campaigns?format=csv`, {
      headers: api.asServer,
    });

    expect([...new Uint8Array(await answer.arrayBuffer()).slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  });

  test('campaigns have the success rate of the report', async () => {
    const { text } = await get('campaigns?format=csv');
    const [header = '', line = ''] = text.trim().split('\r\n');
    const at = header.split(',').indexOf('result.verdict');

    expect(header.split(',').slice(at, at + 4)).toEqual([
      'result.verdict',
      'result.attempted',
      'result.notReachable',
      'result.successRate',
    ]);
    expect(line).toContain(',,2,1,1,');
  });

  test('errors are the same as for JSON', async () => {
    expect((await get(`campaigns/${campaignId}/deliveries?format=csv&cursor=x`)).status).toBe(400);
    expect((await get(`campaigns/${campaignId}/deliveries?format=xls`)).status).toBe(400);
    expect((await get(`campaigns/${recipients.length}/deliveries?format=csv`)).status).toBe(404);
  });

  test.each([
    'campaigns',
    'users',
    'events',
    'ingest',
    'definitions',
    `campaigns/${campaignId}/events`,
  ])('GET %s has a CSV form too', async (path) => {
    const { status, headers, text } = await get(`${path}?format=csv`);

    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(text).toMatch(/^[A-Za-z]+,[A-Za-z0-9_,.]+\r\n/);
  });
});

describe('GET campaigns/{id}/webhooks', () => {
  test('are the events of this campaign, for each endpoint', async () => {
    await createSendingCampaign(db, { applicationId: tenant.applicationId, count: 1 });

    const { items, nextCursor } = (await get<Page>(`campaigns/${campaignId}/webhooks`)).body;

    expect(nextCursor).toBeNull();
    expect(items).toMatchObject([
      {
        type: 'message.sent',
        webhookId: webhook === 'too_many' ? '' : webhook.id,
        customUserId: '=1+1',
        status: 'pending',
        attempts: 0,
      },
    ]);
  });
});

test('a report has what mail servers meant, with remedies', async () => {
  const refused = await createSendingCampaign(db, {
    applicationId: tenant.applicationId,
    recipients: someIds(1),
  });
  const [delivery] = await claimChunk(db, {
    campaignId: refused.campaignId,
    chunkNo: 0,
    owner: 'worker',
    leaseMs: 60_000,
    rowsMax: 1,
  });
  const bounce = { class: 'refused', evidence: '5.7.1 "spam"' } as const;
  await changeDeliveryStates(
    db.sql,
    ['claimed'],
    [
      {
        deliveryId: String(delivery?.deliveryId),
        fence: Number(delivery?.fence),
        state: 'failed',
        reason: 'provider_rejected',
        bounce,
      },
    ],
  );

  const path = `campaigns/${refused.campaignId}`;
  expect((await get<Record<string, unknown>>(`${path}/report`)).body).toMatchObject({
    bounces: [
      {
        class: 'refused',
        count: 1,
        summary: expect.any(String),
        remedy: expect.stringContaining('DKIM'),
      },
    ],
    campaign: { bounces: { refused: 1 } },
  });
  expect((await get<Page>(`${path}/deliveries`)).body.items).toMatchObject([{ bounce }]);
  expect((await get<Page>(`${path}/events`)).body.items.at(-1)).toMatchObject({ bounce });
});
