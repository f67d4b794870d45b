import { afterAll, expect, test } from '@jest/globals';
import { writeFunnel } from '@tidings/analytics/funnels';
import { writeAutomation } from '@tidings/automations/automations';
import { acceptCampaign } from '@tidings/delivery/accept';
import { writeSegment } from '@tidings/segments/segments';
import { writeBlock } from '@tidings/templates/blocks';
import { writeTemplate } from '@tidings/templates/templates';
import { newCampaign, registerUsers } from '@tidings/testing';
import { createWebhookEndpoint } from '@tidings/webhook-queue/endpoints';
import { apiRoutes } from '../server.ts';
import { startTestApi } from '../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant } = api;
const campaign = newCampaign({ applicationId: tenant.applicationId });
await acceptCampaign(db, campaign);
await registerUsers(db, tenant.applicationId, ['ada']);
const webhook = await createWebhookEndpoint(db, api.deps.box, {
  applicationId: tenant.applicationId,
  url: 'https://example.com/',
  description: '',
  kinds: [],
  channels: [],
});
if (webhook === 'too_many') throw new Error('no endpoint');
await writeSegment(db, {
  applicationId: tenant.applicationId,
  slug: 'known',
  name: 'Known',
  condition: { field: 'country', is: 'DE' },
  by: 'test',
});

await writeAutomation(db, {
  applicationId: tenant.applicationId,
  slug: 'known',
  definition: {
    version: 1,
    name: 'Known',
    purpose: 'transactional',
    trigger: { api: true },
    nodes: [{ id: 'hour', delay: '1h' }],
  },
  by: 'test',
});
await writeTemplate(db, {
  applicationId: tenant.applicationId,
  slug: 'known',
  name: 'Known',
  channel: 'SMS',
  message: { body: 'Hello' },
  by: 'test',
});
await writeBlock(db, {
  applicationId: tenant.applicationId,
  slug: 'known',
  name: 'Known',
  text: 'Hello',
  by: 'test',
});

/** What the lists that are asked by POST are of. */
const OF_CONDITION = { condition: { field: 'country', is: 'DE' } };
const RANGE = { from: 0, to: 1 };
const TREND = { series: [{ event: 'viewd', measure: 'users' }], step: 'day', ...RANGE };
const RETENTION = {
  start: { event: 'viewd' },
  period: 'day',
  periods: 2,
  cohort: 0,
  timeZone: 'UTC',
  ...RANGE,
};
const FUNNEL = { steps: [{ event: 'viewd' }, { event: 'viewd' }], window: '1d', from: 0, to: 1 };
await db.sql.query(
  `insert into definitions (application_id, slug, kind, name, origin)
   values ($1, 'viewd', 'action', 'viewed', 'auto')`,
  [tenant.applicationId],
);
await writeFunnel(db, {
  applicationId: tenant.applicationId,
  slug: 'known',
  name: 'Known',
  definition: { steps: FUNNEL.steps, window: FUNNEL.window },
  by: 'test',
});

const bodyOf = (path: string): object =>
  ({ funnels: FUNNEL, trends: TREND, retention: RETENTION })[path.split('/')[0] ?? ''] ??
  OF_CONDITION;

const { headers: asOwner } = await api.signIn('owner');
const lists = apiRoutes(api.deps)
  .filter(({ query }) => query !== undefined && 'cursor' in query.properties)
  .map(({ method, path, access, query }) => ({
    method,
    ...(method === 'POST' && { body: bodyOf(path) }),
    integers: Object.entries(query?.properties ?? {}).flatMap(
      ([name, { type }]: [string, { readonly type?: unknown }]) =>
        type === 'integer' ? [name] : [],
    ),
    path: path
      .replace(':campaignId', campaign.campaignId)
      .replace(':customUserId', 'ada')
      .replace(':webhookId', webhook.id)
      .replace(':slug', 'known'),
    headers: access === 'member' ? asOwner : api.asAdmin,
  }));

test('covers every list', () => {
  expect(lists.length).toBeGreaterThan(10);
  expect(lists.filter(({ path }) => path.includes(':'))).toEqual([]);
});

test.each(lists)(
  '$method $path takes only parameters that it knows, and names the others',
  async ({ method, path, headers, body }) => {
    const get = (query: string) => api.request(method, `${path}?${query}`, { headers, body });

    expect((await get('limit=1&cursor=')).status).toBe(200);
    const { status, problem } = await get('limit=1&Limit=2&a%2Fb=x&__proto__=');

    expect(status).toBe(400);
    expect(problem).toMatchObject({ code: 'validation_failed', detail: 'The query is not valid.' });
    expect(problem.errors).toEqual(
      ['/Limit', '/a~1b', '/__proto__'].map((pointer) => ({
        pointer,
        code: 'invalid_value',
        expected: 'a known field',
      })),
    );
  },
);

test.each(lists.flatMap((list) => list.integers.map((name) => ({ ...list, name }))))(
  '$method $path answers no integer as $name with a fault of its own',
  async ({ method, path, headers, body, name }) => {
    for (const value of [
      '-9007199254740991',
      '-1',
      '8640000000000001',
      '9007199254740991',
      '9999999999999999',
    ]) {
      const { status, problem } = await api.request(method, `${path}?${name}=${value}`, {
        headers,
        body,
      });
      expect([value, status, problem.errors?.map(({ pointer }) => pointer)]).toEqual([
        value,
        400,
        [`/${name}`],
      ]);
    }
  },
);

test('GET audit rejects an instant beyond the maximum', async () => {
  expect(lists.find(({ path }) => path === 'audit')?.integers).toEqual(
    expect.arrayContaining(['from', 'to']),
  );
});
