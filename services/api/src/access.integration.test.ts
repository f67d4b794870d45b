import { afterAll, describe, expect, test } from '@jest/globals';
import { createApiKey, revokeApiKey } from '@tidings/accounts/api-keys';
import { systemIds } from '@tidings/platform';
import { apiRoutes } from './server.ts';
import { asKey, startTestApi, type Headers } from './testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { tenant, other, adminToken } = api;

type Expectation = {
  /** Without valid credentials; default: 403. */
  readonly stranger?: number;
  /** With a Server key. */
  readonly server: number;
  /** With an administrator token and the application's id. */
  readonly admin: number;
  /** With an administrator token alone. */
  readonly adminAlone: number;
};

// Ids in paths do not exist and bodies are empty objects: an authorized caller gets 404 or 400
// where more is needed.
const EXPECTED: Readonly<Record<string, Expectation>> = {
  'GET campaigns': { server: 200, admin: 200, adminAlone: 400 },
  'POST campaigns': { server: 400, admin: 400, adminAlone: 400 },
  'GET campaigns/:campaignId': { server: 404, admin: 404, adminAlone: 400 },
  'GET campaigns/:campaignId/deliveries': { server: 404, admin: 404, adminAlone: 400 },
  'GET campaigns/:campaignId/events': { server: 404, admin: 404, adminAlone: 400 },
  'POST campaigns/:campaignId/pause': { server: 404, admin: 404, adminAlone: 400 },
  'POST campaigns/:campaignId/resume': { server: 404, admin: 404, adminAlone: 400 },
  'POST campaigns/:campaignId/cancel': { server: 404, admin: 404, adminAlone: 400 },
  'POST campaigns/:campaignId/retry-failed': { server: 404, admin: 404, adminAlone: 400 },
  'PATCH campaigns/:campaignId': { server: 400, admin: 400, adminAlone: 400 },
  'POST campaigns/:campaignId/decision': { server: 400, admin: 400, adminAlone: 400 },
  'GET drafts': { server: 200, admin: 200, adminAlone: 400 },
  'POST drafts': { server: 400, admin: 400, adminAlone: 400 },
  'GET drafts/:draftId': { server: 404, admin: 404, adminAlone: 400 },
  'PUT drafts/:draftId': { server: 400, admin: 400, adminAlone: 400 },
  'DELETE drafts/:draftId': { server: 404, admin: 404, adminAlone: 400 },
  'POST test-sends': { server: 400, admin: 400, adminAlone: 400 },
  // They are a member's own.
  'GET test-sends/addresses': { server: 401, admin: 401, adminAlone: 400 },
  'PUT test-sends/addresses': { server: 400, admin: 400, adminAlone: 400 },
  'GET users/:customUserId': { server: 404, admin: 404, adminAlone: 400 },
  'GET users/:customUserId/events': { server: 404, admin: 404, adminAlone: 400 },
  'GET users': { server: 200, admin: 200, adminAlone: 400 },
  'GET users/:customUserId/export': { server: 404, admin: 404, adminAlone: 400 },
  'DELETE users/:customUserId': { server: 404, admin: 404, adminAlone: 400 },
  'GET events': { server: 200, admin: 200, adminAlone: 400 },
  'GET ingest': { server: 200, admin: 200, adminAlone: 400 },
  'GET ingest/:requestId': { server: 404, admin: 404, adminAlone: 400 },
  'GET definitions': { server: 200, admin: 200, adminAlone: 400 },
  'POST definitions': { server: 403, admin: 400, adminAlone: 400 },
  'PATCH definitions/:slug': { server: 403, admin: 404, adminAlone: 400 },
  'DELETE definitions/:slug': { server: 403, admin: 404, adminAlone: 400 },
  'POST definitions/:slug/merge': { server: 403, admin: 400, adminAlone: 400 },
  'GET automations': { server: 200, admin: 200, adminAlone: 400 },
  'GET automations/:slug': { server: 404, admin: 404, adminAlone: 400 },
  'PUT automations/:slug': { server: 403, admin: 400, adminAlone: 400 },
  'DELETE automations/:slug': { server: 403, admin: 404, adminAlone: 400 },
  'POST automations/:slug/activate': { server: 403, admin: 404, adminAlone: 400 },
  'POST automations/:slug/pause': { server: 403, admin: 404, adminAlone: 400 },
  'POST automations/:slug/resume': { server: 403, admin: 404, adminAlone: 400 },
  'POST automations/:slug/stop': { server: 403, admin: 404, adminAlone: 400 },
  'POST automations/:slug/rehearse': { server: 403, admin: 400, adminAlone: 400 },
  'GET rehearsals/:rehearsalId': { server: 404, admin: 404, adminAlone: 400 },
  'GET automations/:slug/versions': { server: 404, admin: 404, adminAlone: 400 },
  'POST automations/:slug/runs': { server: 400, admin: 400, adminAlone: 400 },
  'GET automations/:slug/runs': { server: 404, admin: 404, adminAlone: 400 },
  'GET automations/:slug/runs/:runId': { server: 404, admin: 404, adminAlone: 400 },
  'POST automations/:slug/runs/:runId/end': { server: 403, admin: 404, adminAlone: 400 },
  'POST automations/:slug/runs/:runId/retry': { server: 403, admin: 404, adminAlone: 400 },
  'GET automations/:slug/report': { server: 404, admin: 404, adminAlone: 400 },
  'GET automations/:slug/users/:customUserId': { server: 404, admin: 404, adminAlone: 400 },
  'GET segments': { server: 200, admin: 200, adminAlone: 400 },
  'GET segments/:slug': { server: 404, admin: 404, adminAlone: 400 },
  'PUT segments/:slug': { server: 403, admin: 400, adminAlone: 400 },
  'DELETE segments/:slug': { server: 403, admin: 404, adminAlone: 400 },
  'GET segments/:slug/versions': { server: 404, admin: 404, adminAlone: 400 },
  'GET segments/:slug/count': { server: 404, admin: 404, adminAlone: 400 },
  'GET segments/:slug/uses': { server: 404, admin: 404, adminAlone: 400 },
  'GET segments/:slug/users': { server: 404, admin: 404, adminAlone: 400 },
  'GET segments/:slug/users/:customUserId': { server: 404, admin: 404, adminAlone: 400 },
  'GET suggestions': { server: 200, admin: 200, adminAlone: 400 },
  'POST segments/preview': { server: 400, admin: 400, adminAlone: 400 },
  'POST segments/count': { server: 400, admin: 400, adminAlone: 400 },
  'POST users/resolve': { server: 400, admin: 400, adminAlone: 400 },
  'POST segments/users': { server: 400, admin: 400, adminAlone: 400 },
  'POST segments/explain': { server: 400, admin: 400, adminAlone: 400 },
  'GET funnels': { server: 200, admin: 200, adminAlone: 400 },
  'GET funnels/:slug': { server: 404, admin: 404, adminAlone: 400 },
  'PUT funnels/:slug': { server: 403, admin: 400, adminAlone: 400 },
  'DELETE funnels/:slug': { server: 403, admin: 404, adminAlone: 400 },
  'GET funnels/:slug/uses': { server: 404, admin: 404, adminAlone: 400 },
  'GET funnels/:slug/versions': { server: 404, admin: 404, adminAlone: 400 },
  'GET funnels/:slug/result': { server: 404, admin: 404, adminAlone: 400 },
  'GET funnels/:slug/users': { server: 404, admin: 404, adminAlone: 400 },
  'GET funnels/:slug/users/:customUserId': { server: 404, admin: 404, adminAlone: 400 },
  'POST funnels/result': { server: 400, admin: 400, adminAlone: 400 },
  'POST funnels/users': { server: 400, admin: 400, adminAlone: 400 },
  'POST trends/result': { server: 400, admin: 400, adminAlone: 400 },
  'POST trends/users': { server: 400, admin: 400, adminAlone: 400 },
  'POST retention/result': { server: 400, admin: 400, adminAlone: 400 },
  'POST retention/users': { server: 400, admin: 400, adminAlone: 400 },
  'POST funnels/preview': { server: 400, admin: 400, adminAlone: 400 },
  'POST funnels/explain': { server: 400, admin: 400, adminAlone: 400 },
  'GET templates': { server: 200, admin: 200, adminAlone: 400 },
  'GET templates/:slug': { server: 404, admin: 404, adminAlone: 400 },
  'PUT templates/:slug': { server: 403, admin: 400, adminAlone: 400 },
  'DELETE templates/:slug': { server: 403, admin: 404, adminAlone: 400 },
  'GET templates/:slug/versions': { server: 404, admin: 404, adminAlone: 400 },
  'POST templates/preview': { server: 400, admin: 400, adminAlone: 400 },
  'POST templates/:slug/preview': { server: 404, admin: 404, adminAlone: 400 },
  'GET blocks': { server: 200, admin: 200, adminAlone: 400 },
  'GET blocks/:slug': { server: 404, admin: 404, adminAlone: 400 },
  'PUT blocks/:slug': { server: 403, admin: 400, adminAlone: 400 },
  'DELETE blocks/:slug': { server: 403, admin: 404, adminAlone: 400 },
  'GET blocks/:slug/versions': { server: 404, admin: 404, adminAlone: 400 },
  'GET applications': { server: 403, admin: 200, adminAlone: 200 },
  'POST applications': { server: 403, admin: 400, adminAlone: 400 },
  'GET applications/:applicationId': { server: 403, admin: 404, adminAlone: 404 },
  'PATCH applications/:applicationId': { server: 403, admin: 404, adminAlone: 404 },
  'POST applications/:applicationId/user-token-secret': {
    server: 403,
    admin: 404,
    adminAlone: 404,
  },
  'GET keys': { server: 403, admin: 200, adminAlone: 400 },
  'POST keys': { server: 403, admin: 400, adminAlone: 400 },
  'PATCH keys/:keyId': { server: 403, admin: 400, adminAlone: 400 },
  'DELETE keys/:keyId': { server: 403, admin: 404, adminAlone: 400 },
  'GET allow-list': { server: 403, admin: 200, adminAlone: 400 },
  'PUT allow-list': { server: 403, admin: 400, adminAlone: 400 },
  'GET channels': { server: 403, admin: 200, adminAlone: 400 },
  'GET channels/SMS': { server: 403, admin: 200, adminAlone: 400 },
  'PUT channels/SMS': { server: 403, admin: 400, adminAlone: 400 },
  'POST channels/SMS/test': { server: 403, admin: 400, adminAlone: 400 },
  'GET channels/EMAIL': { server: 403, admin: 200, adminAlone: 400 },
  'PUT channels/EMAIL': { server: 403, admin: 400, adminAlone: 400 },
  'POST channels/EMAIL/test': { server: 403, admin: 400, adminAlone: 400 },
  'GET channels/WEB_HOOK': { server: 403, admin: 200, adminAlone: 400 },
  'PUT channels/WEB_HOOK': { server: 403, admin: 400, adminAlone: 400 },
  'POST channels/WEB_HOOK/test': { server: 403, admin: 400, adminAlone: 400 },
  'GET channels/WEB_PUSH': { server: 403, admin: 200, adminAlone: 400 },
  'PUT channels/WEB_PUSH': { server: 403, admin: 400, adminAlone: 400 },
  'POST channels/WEB_PUSH/test': { server: 403, admin: 400, adminAlone: 400 },
  'GET channels/APP_PUSH': { server: 403, admin: 200, adminAlone: 400 },
  'PUT channels/APP_PUSH': { server: 403, admin: 400, adminAlone: 400 },
  'POST channels/APP_PUSH/test': { server: 403, admin: 400, adminAlone: 400 },
  'GET channels/IN_APP': { server: 403, admin: 200, adminAlone: 400 },
  'PUT channels/IN_APP': { server: 403, admin: 200, adminAlone: 400 },
  'POST channels/IN_APP/test': { server: 403, admin: 400, adminAlone: 400 },
  'GET channels/ON_SITE': { server: 403, admin: 200, adminAlone: 400 },
  'PUT channels/ON_SITE': { server: 403, admin: 200, adminAlone: 400 },
  'POST channels/ON_SITE/test': { server: 403, admin: 400, adminAlone: 400 },
  'GET webhooks': { server: 403, admin: 200, adminAlone: 400 },
  'POST webhooks': { server: 403, admin: 400, adminAlone: 400 },
  'PATCH webhooks/:webhookId': { server: 403, admin: 404, adminAlone: 400 },
  'DELETE webhooks/:webhookId': { server: 403, admin: 404, adminAlone: 400 },
  'POST webhooks/:webhookId/rotate-secret': { server: 403, admin: 404, adminAlone: 400 },
  'POST webhooks/:webhookId/test': { server: 403, admin: 404, adminAlone: 400 },
  'GET webhooks/:webhookId/deliveries': { server: 403, admin: 404, adminAlone: 400 },
  'POST webhooks/:webhookId/deliveries/:deliveryId/replay': {
    server: 403,
    admin: 404,
    adminAlone: 400,
  },
  'GET suppressions': { server: 403, admin: 200, adminAlone: 400 },
  'POST suppressions': { server: 403, admin: 400, adminAlone: 400 },
  'DELETE suppressions/:suppressionId': { server: 403, admin: 404, adminAlone: 400 },
  'GET dead-letters': { server: 403, admin: 200, adminAlone: 400 },
  'GET dead-letters/:deadLetterId': { server: 403, admin: 404, adminAlone: 400 },
  'POST dead-letters/:deadLetterId/replay': { server: 403, admin: 404, adminAlone: 400 },
  'POST dead-letters/:deadLetterId/discard': { server: 403, admin: 404, adminAlone: 400 },
  'GET members': { server: 403, admin: 200, adminAlone: 200 },
  'POST members': { server: 403, admin: 400, adminAlone: 400 },
  'PATCH members/:memberId': { server: 403, admin: 404, adminAlone: 404 },
  'POST members/:memberId/invitation': { server: 403, admin: 404, adminAlone: 404 },
  'DELETE members/:memberId': { server: 403, admin: 404, adminAlone: 404 },
  'GET audit': { server: 403, admin: 200, adminAlone: 200 },
  // Requires a session.
  'GET session': { stranger: 401, server: 401, admin: 401, adminAlone: 401 },
  'DELETE session': { stranger: 401, server: 401, admin: 401, adminAlone: 401 },
  'POST session/password': { stranger: 401, server: 401, admin: 401, adminAlone: 401 },
  'GET administrator-tokens': { stranger: 401, server: 401, admin: 401, adminAlone: 401 },
  'POST administrator-tokens': { stranger: 401, server: 401, admin: 401, adminAlone: 401 },
  'DELETE administrator-tokens/:tokenId': {
    stranger: 401,
    server: 401,
    admin: 401,
    adminAlone: 401,
  },
  // Public: these create a session.
  'GET session/setup': { stranger: 200, server: 200, admin: 200, adminAlone: 200 },
  'GET session/oidc': { stranger: 404, server: 404, admin: 404, adminAlone: 404 },
  'GET session/oidc/callback': { stranger: 404, server: 404, admin: 404, adminAlone: 404 },
  'POST session': { stranger: 400, server: 400, admin: 400, adminAlone: 400 },
  'POST session/first-administrator': { stranger: 400, server: 400, admin: 400, adminAlone: 400 },
  'POST session/invitation': { stranger: 400, server: 400, admin: 400, adminAlone: 400 },
  'GET campaigns/:campaignId/templates': { server: 404, admin: 404, adminAlone: 400 },
  'POST campaigns/:campaignId/render': { server: 400, admin: 400, adminAlone: 400 },
  'GET campaigns/:campaignId/deliveries/:deliveryId/message': {
    server: 404,
    admin: 404,
    adminAlone: 400,
  },
  'GET campaigns/:campaignId/report': { server: 404, admin: 404, adminAlone: 400 },
  'GET campaigns/:campaignId/webhooks': { server: 404, admin: 404, adminAlone: 400 },
  'GET ingest/:requestId/messages/:index': { server: 404, admin: 404, adminAlone: 400 },
  'GET users/:customUserId/timeline': { server: 404, admin: 404, adminAlone: 400 },
  'GET users/:customUserId/held-events': { server: 404, admin: 404, adminAlone: 400 },
  'GET users/:customUserId/segments': { server: 404, admin: 404, adminAlone: 400 },
  'GET users/:customUserId/automation-runs': { server: 404, admin: 404, adminAlone: 400 },
  'GET definitions/:slug': { server: 404, admin: 404, adminAlone: 400 },
  'GET definitions/:slug/chart': { server: 404, admin: 404, adminAlone: 400 },
  'GET revenue': { server: 200, admin: 200, adminAlone: 400 },
  // Without a text.
  'GET search': { server: 400, admin: 400, adminAlone: 400 },
  'GET overview': { server: 403, admin: 200, adminAlone: 400 },
  // Without a topic.
  'GET live': { server: 400, admin: 400, adminAlone: 400 },
};

const CODES: Readonly<Record<number, readonly string[]>> = {
  200: ['none'],
  400: ['validation_failed'],
  401: ['unauthenticated'],
  403: ['forbidden'],
  404: ['not_found'],
};

const routes = apiRoutes(api.deps).map(({ method, path, access }) => ({
  name: `${method} ${path}`,
  method,
  access,
  path: path.replaceAll(/:\w+/g, () => systemIds.uuid()),
}));

const call = (
  { method, path }: { readonly method: string; readonly path: string },
  headers: Headers,
) =>
  api.request(method, path, {
    headers,
    ...(method !== 'GET' && method !== 'DELETE' && { body: {} }),
  });

const bearer = (token: string): Headers => ({ Authorization: `Bearer ${token}` });
const appHeader: Headers = { 'X-Application-Id': tenant.applicationId };

async function revokedKey(): Promise<string> {
  const key = await createApiKey(api.db, {
    applicationId: tenant.applicationId,
    type: 'server',
    name: 'revoked',
  });
  if (key === 'too_many') throw new Error('no room for a key');
  await revokeApiKey(api.db, tenant.applicationId, key.id);
  return key.key;
}

/** Invalid credentials. */
const strangers: readonly (readonly [string, Headers])[] = [
  ['nothing', {}],
  ['an application id alone', appHeader],
  ['a Server key alone', { 'X-API-Key': tenant.serverKey }],
  ['an unknown key', asKey(tenant, 'sk_nobody')],
  ['an empty key', asKey(tenant, '')],
  ['a key of 10 KB', asKey(tenant, `sk_${'x'.repeat(10_000)}`)],
  ['a revoked key', asKey(tenant, await revokedKey())],
  ['a key of another tenant', asKey(tenant, other.serverKey)],
  [
    'an unknown application',
    { 'X-Application-Id': systemIds.uuid(), 'X-API-Key': tenant.serverKey },
  ],
  [
    'an application id that is none',
    { 'X-Application-Id': "' or 1=1 --", 'X-API-Key': tenant.serverKey },
  ],
  ['an unknown token', { ...appHeader, ...bearer('at_nobody') }],
  ['a Server key as a token', { ...appHeader, ...bearer(tenant.serverKey) }],
  ['a token as a key', asKey(tenant, adminToken)],
  ['a token of 10 KB', { ...appHeader, ...bearer('x'.repeat(10_000)) }],
  ['another scheme', { ...appHeader, Authorization: `Basic ${adminToken}` }],
];

describe('who may call which route', () => {
  test('covers every route', () => {
    expect(new Set(routes.map(({ name }) => name))).toEqual(new Set(Object.keys(EXPECTED)));
  });

  describe.each(routes)('$name', (route) => {
    const expected = EXPECTED[route.name];
    const stranger = expected?.stranger ?? 403;

    test.each(strangers)(`with %s: ${stranger}`, async (_name, headers) => {
      const { status, problem } = await call(route, headers);

      expect(status).toBe(stranger);
      expect(CODES[stranger]).toContain(status < 400 ? 'none' : problem.code);
    });

    test(`with a Client key: ${stranger}`, async () => {
      const { status, problem } = await call(route, asKey(tenant, tenant.clientKey));

      expect(status).toBe(stranger);
      expect([...(CODES[stranger] ?? []), 'client_key_forbidden']).toContain(
        status < 400 ? 'none' : problem.code,
      );
    });

    test(`with a Server key: ${expected?.server}`, async () => {
      const { status, problem } = await call(route, asKey(tenant, tenant.serverKey));

      // A valid key gets the required kind of credentials in the error.
      const isExplained =
        problem.code !== 'forbidden' || String(problem.detail).includes('administrator token');
      expect({ status, isExplained }).toEqual({ status: expected?.server, isExplained: true });
    });

    test(`with an administrator token: ${expected?.admin}, without X-Application-Id ${expected?.adminAlone}`, async () => {
      expect((await call(route, { ...appHeader, ...bearer(adminToken) })).status).toBe(
        expected?.admin,
      );
      expect((await call(route, bearer(adminToken))).status).toBe(expected?.adminAlone);
    });

    test('credentials are checked before the body is read', async () => {
      if (route.method === 'GET' || route.method === 'DELETE') return;

      const { status } = await api.request(route.method, route.path, {
        headers: asKey(tenant, 'sk_nobody'),
        body: '{"broken',
      });

      expect(status).toBe(stranger);
    });

    test('an administrator who names an unknown application gets 404, where one is required', async () => {
      if (route.access !== 'reader' && route.access !== 'application_administrator') return;

      for (const applicationId of [systemIds.uuid(), 'x']) {
        expect(
          (await call(route, { 'X-Application-Id': applicationId, ...bearer(adminToken) })).status,
        ).toBe(404);
      }
    });
  });
});

test('error responses are equal except for the request id', async () => {
  const answers = await Promise.all(
    strangers.map(([, headers]) => api.request('GET', 'campaigns', { headers })),
  );
  const shapes = answers.map(({ status, headers, problem }) => {
    const names = [...headers.keys()].filter(
      (name) => name !== 'date' && name !== 'x-request-id' && name !== 'content-length',
    );
    return JSON.stringify([
      status,
      names.map((name) => [name, headers.get(name)]),
      { ...problem, requestId: '' },
    ]);
  });

  expect(new Set(shapes).size).toBe(1);
  expect(new Set(answers.map(({ problem }) => problem.requestId)).size).toBe(answers.length);
  expect(answers.map(({ headers }) => headers.get('www-authenticate'))).toEqual(
    answers.map(() => null),
  );
});
