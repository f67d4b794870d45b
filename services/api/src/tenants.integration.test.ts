import { afterAll, describe, expect, test } from '@jest/globals';
import { listApiKeys } from '@tidings/accounts/api-keys';
import { createDraft } from '@tidings/campaign-drafts/drafts';
import { acceptCampaign } from '@tidings/delivery/accept';
import { createDefinition } from '@tidings/events/definitions/definitions';
import { addSuppression, listSuppressions } from '@tidings/people/suppressions';
import { requestRehearsal } from '@tidings/automation-rehearsal/rehearsals';
import { activateAutomation, writeAutomation } from '@tidings/automations/automations';
import { startRun } from '@tidings/automations/start-run';
import { writeSegment } from '@tidings/segments/segments';
import { writeBlock } from '@tidings/templates/blocks';
import { writeTemplate } from '@tidings/templates/templates';
import { newCampaign } from '@tidings/testing';
import { createWebhookEndpoint, listWebhookEndpoints } from '@tidings/webhook-queue/endpoints';
import { queueWebhookPing } from '@tidings/webhook-queue/delivery-log';
import { apiRoutes } from './server.ts';
import { createDeadLetter } from './testing/dead-letter.ts';
import { insertEvent, insertRejection, insertRequest, insertUser } from './testing/log-rows.ts';
import { asKey, startTestApi, type Headers } from './testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, deps, tenant, other } = api;

/** One object of every kind, all of the other tenant. */
const campaign = newCampaign({ applicationId: other.applicationId });
await acceptCampaign(db, campaign);
const userId = await insertUser(db, other.applicationId, {
  customUserId: 'theirs',
  isRegistered: true,
});
const requestId = await insertRequest(db, other.applicationId, {
  receipts: [
    { outcome: 'stored', userId },
    { outcome: 'dropped', reason: 'empty_name' },
  ],
});
const refusalId = await insertRejection(db, other.applicationId);
await insertEvent(db, other.applicationId, { id: 'their event', slug: 'click', userId, requestId });
const definition = await createDefinition(db, {
  applicationId: other.applicationId,
  name: 'their definition',
  kind: 'action',
});
const slug = typeof definition === 'string' ? definition : definition.slug;
await writeSegment(db, {
  applicationId: other.applicationId,
  slug,
  name: 'Their segment',
  condition: { field: 'country', is: 'DE' },
  by: 'test',
});
await writeTemplate(db, {
  applicationId: other.applicationId,
  slug,
  name: 'Their template',
  channel: 'SMS',
  message: { body: 'Hello' },
  by: 'test',
});
await writeBlock(db, {
  applicationId: other.applicationId,
  slug,
  name: 'Their block',
  text: 'Hello',
  by: 'test',
});
await db.sql.query(
  `insert into funnels (application_id, slug, name, definition, version, updated_by)
   values ($1, $2, 'Their funnel', '{"steps":[{"event":"x"},{"event":"x"}],"window":"1d"}', 1, 'test')`,
  [other.applicationId, slug],
);
await writeAutomation(db, {
  applicationId: other.applicationId,
  slug,
  definition: {
    version: 1,
    name: 'Their automation',
    purpose: 'transactional',
    trigger: { api: true },
    nodes: [{ id: 'hour', delay: '1h' }],
  },
  by: 'test',
});
await activateAutomation(db, {
  applicationId: other.applicationId,
  slug,
  inFlight: 'keep',
  by: 'test',
});
const started = await startRun(db, {
  applicationId: other.applicationId,
  slug,
  customUserId: 'theirs',
});
if (typeof started === 'string') throw new Error(`no run: ${started}`);
const rehearsed = await requestRehearsal(db, {
  applicationId: other.applicationId,
  slug,
  from: 0,
  to: 1,
  definition: {
    version: 1,
    name: 'Their automation',
    purpose: 'transactional',
    trigger: { event: slug },
    nodes: [{ id: 'hour', delay: '1h' }],
  },
  by: 'test',
});
if (typeof rehearsed === 'string' || 'errors' in rehearsed)
  throw new Error(`no rehearsal: ${JSON.stringify(rehearsed)}`);
const draftId = campaign.campaignId;
await createDraft(db, {
  applicationId: other.applicationId,
  draftId,
  content: { name: 'Their draft' },
  by: 'test',
});
const deadLetterId = await createDeadLetter(db, { applicationId: other.applicationId });
const suppression = await addSuppression(db, {
  applicationId: other.applicationId,
  channel: 'EMAIL',
  address: 'theirs@example.org',
  reason: 'suppressed_bounce',
});
const [key] = await listApiKeys(db, other.applicationId);
const webhook = await createWebhookEndpoint(db, deps.box, {
  applicationId: other.applicationId,
  url: 'https://theirs.example/',
  description: '',
  kinds: [],
  channels: [],
});
const webhookId = webhook === 'too_many' ? '' : webhook.id;
const ping = await queueWebhookPing(db, {
  applicationId: other.applicationId,
  endpointId: webhookId,
  eventId: 'evt_theirs',
});

/** For each path parameter the id of an object of the other tenant. */
const THEIRS: Readonly<Record<string, string>> = {
  campaignId: campaign.campaignId,
  customUserId: 'theirs',
  requestId,
  index: '0',
  draftId,
  keyId: String(key?.id),
  deadLetterId,
  webhookId,
  suppressionId: suppression.id,
  deliveryId: ping === null || ping === 'disabled' ? '' : ping.deliveryId,
  slug,
  runId: started.runId,
  rehearsalId: rehearsed.rehearsalId,
};

/** For each route with a body a valid one. */
const BODIES: Readonly<Record<string, unknown>> = {
  'PATCH campaigns/:campaignId': { sendAt: Date.now() + 3_600_000 },
  'PUT drafts/:draftId': { content: { name: 'taken over' }, expectedVersion: 1 },
  'PATCH keys/:keyId': { type: 'client' },
  'POST campaigns/:campaignId/render': { customUserId: 'ada' },
  'POST campaigns/:campaignId/decision': { index: 0 },
  'POST templates/:slug/preview': { customUserId: 'ada' },
  'PATCH webhooks/:webhookId': { url: 'https://taken-over.example/', enabled: false },
  'PATCH definitions/:slug': { name: 'taken over' },
  'POST definitions/:slug/merge': { into: 'click' },
  'POST automations/:slug/activate': {},
  'POST automations/:slug/resume': {},
  'POST automations/:slug/stop': {},
  'POST automations/:slug/runs': { customUserId: 'ada' },
  'POST automations/:slug/rehearse': { from: 0, to: 1 },
};

// Administrators name the application; applications and channels themselves are not tenant data.
const routes = apiRoutes(api.deps)
  .filter(
    ({ method, path, access }) =>
      path.includes(':') &&
      // Makes one of its own.
      ![
        'PUT segments/:slug',
        'PUT templates/:slug',
        'PUT blocks/:slug',
        'PUT funnels/:slug',
        'PUT automations/:slug',
      ].includes(`${method} ${path}`) &&
      (access === 'reader' || access === 'application_administrator'),
  )
  .map(({ method, path, access }) => ({ name: `${method} ${path}`, method, path, access }));

const asOther: Headers = asKey(other, other.serverKey);
const credentials: readonly (readonly [string, Headers])[] = [
  ['the Server key', api.asServer],
  ['an administrator token for the own application', api.asAdmin],
];

describe('with objects of the other tenant', () => {
  test.each(routes)(
    '$name answers as if it were not there',
    async ({ name, method, path, access }) => {
      const parameters = [...path.matchAll(/:(\w+)/g)].map(([, parameter = '']) => parameter);
      expect(parameters.filter((parameter) => THEIRS[parameter] === undefined)).toEqual([]);
      const url = path.replaceAll(/:(\w+)/g, (_, parameter: string) => THEIRS[parameter] ?? '');

      for (const [who, headers] of credentials) {
        const isAllowed = access === 'reader' || who !== 'the Server key';
        const { status } = await api.request(method, url, {
          headers,
          ...(name in BODIES && { body: BODIES[name] }),
        });
        expect([who, status]).toEqual([who, isAllowed ? 404 : 403]);
      }
    },
  );

  test.each([
    'campaigns',
    'users',
    'users?search=theirs',
    'events',
    'ingest',
    'ingest?outcome=dropped',
    'ingest?outcome=processed',
    'ingest?outcome=rejected',
    'definitions',
    'segments',
    'funnels',
    'automations',
    'templates',
    'blocks',
  ])('GET %s contains none of them', async (path) => {
    expect((await api.request('GET', path, { headers: api.asServer })).body).toEqual({
      items: [],
      nextCursor: null,
    });
    expect(
      (await api.request<{ items: unknown[] }>('GET', path, { headers: asOther })).body.items,
    ).not.toEqual([]);
  });

  test.each(['events?requestId=', 'ingest?requestId='])(
    'GET %s with its request id finds nothing',
    async (path) => {
      for (const id of [requestId, refusalId]) {
        expect((await api.request('GET', `${path}${id}`, { headers: api.asServer })).body).toEqual({
          items: [],
          nextCursor: null,
        });
      }
    },
  );

  test('all of them still exist unchanged', async () => {
    expect((await api.request('GET', 'users/theirs', { headers: asOther })).status).toBe(200);
    expect(
      (await api.request('GET', `campaigns/${campaign.campaignId}`, { headers: asOther })).status,
    ).toBe(200);
    expect(await listSuppressions(db, other.applicationId, { limit: 2 })).toEqual([suppression]);
    expect((await api.request('GET', 'definitions', { headers: asOther })).text).toContain(
      'their definition',
    );
    expect((await listApiKeys(db, other.applicationId)).map(({ type }) => type)).toEqual([
      'server',
      'client',
    ]);
    expect(await listApiKeys(db, tenant.applicationId)).toHaveLength(2);
    expect(await listWebhookEndpoints(db, other.applicationId)).toMatchObject([
      {
        id: webhookId,
        url: 'https://theirs.example/',
        status: 'enabled',
        previousSecretUntil: null,
      },
    ]);
  });
});
