import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ROUTE_ROLES } from '@tidings/api-spec/roles';
import { MEMBER_ROLES, type MemberRole } from '@tidings/contracts/members';
import { systemIds } from '@tidings/platform';
import { apiRoutes } from '../server.ts';
import { asPage, startTestApi, type Headers, type SignedInMember } from '../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

const INITIALS: Readonly<Record<MemberRole, string>> = {
  owner: 'O',
  admin: 'A',
  developer: 'D',
  marketer: 'M',
  viewer: 'V',
};

/** By the initials of the roles. A route that is missing here is a GET that every role may call. */
const EXPECTED: Readonly<Record<string, string>> = {
  'DELETE session': 'OADMV',
  'POST session/password': 'OADMV',
  'POST campaigns': 'OAM',
  'POST campaigns/:campaignId/render': 'OADM',
  'GET campaigns/:campaignId/deliveries/:deliveryId/message': 'OADM',
  'POST campaigns/:campaignId/pause': 'OAM',
  'POST campaigns/:campaignId/resume': 'OAM',
  'POST campaigns/:campaignId/cancel': 'OAM',
  'POST campaigns/:campaignId/retry-failed': 'OAM',
  'PATCH campaigns/:campaignId': 'OAM',
  'POST campaigns/:campaignId/decision': 'OAM',
  'POST test-sends': 'OAM',
  'PUT test-sends/addresses': 'OAM',
  'POST drafts': 'OAM',
  'PUT drafts/:draftId': 'OAM',
  'DELETE drafts/:draftId': 'OAM',
  'GET users/:customUserId/export': 'OADM',
  'DELETE users/:customUserId': 'OA',
  'POST definitions': 'OAD',
  'PATCH definitions/:slug': 'OAD',
  'DELETE definitions/:slug': 'OAD',
  'POST definitions/:slug/merge': 'OAD',
  'PUT segments/:slug': 'OAM',
  'DELETE segments/:slug': 'OAM',
  'PUT funnels/:slug': 'OAM',
  'DELETE funnels/:slug': 'OAM',
  'POST funnels/result': 'OADMV',
  'POST funnels/users': 'OADMV',
  'POST trends/result': 'OADMV',
  'POST trends/users': 'OADMV',
  'POST retention/result': 'OADMV',
  'POST retention/users': 'OADMV',
  'POST funnels/explain': 'OADMV',
  'POST funnels/preview': 'OADMV',
  'PUT automations/:slug': 'OAM',
  'DELETE automations/:slug': 'OAM',
  'POST automations/:slug/activate': 'OAM',
  'POST automations/:slug/pause': 'OAM',
  'POST automations/:slug/resume': 'OAM',
  'POST automations/:slug/stop': 'OAM',
  'POST automations/:slug/rehearse': 'OAM',
  'POST automations/:slug/runs': 'OAM',
  'POST automations/:slug/runs/:runId/end': 'OAM',
  'POST automations/:slug/runs/:runId/retry': 'OAM',
  'GET suggestions': 'OADMV',
  'POST segments/preview': 'OADMV',
  'POST segments/count': 'OADMV',
  'POST segments/users': 'OADMV',
  'POST users/resolve': 'OADMV',
  'POST segments/explain': 'OADMV',
  'PUT templates/:slug': 'OAM',
  'DELETE templates/:slug': 'OAM',
  'PUT blocks/:slug': 'OAM',
  'DELETE blocks/:slug': 'OAM',
  'POST templates/preview': 'OADM',
  'POST templates/:slug/preview': 'OADM',
  'POST applications': 'OA',
  'PATCH applications/:applicationId': 'OA',
  'POST applications/:applicationId/user-token-secret': 'OAD',
  'POST keys': 'OAD',
  'PATCH keys/:keyId': 'OAD',
  'DELETE keys/:keyId': 'OAD',
  'PUT allow-list': 'OA',
  ...Object.fromEntries(
    ['SMS', 'WEB_PUSH', 'APP_PUSH', 'EMAIL', 'WEB_HOOK', 'IN_APP', 'ON_SITE'].flatMap((channel) => [
      [`PUT channels/${channel}`, 'OA'],
      [`POST channels/${channel}/test`, 'OAM'],
    ]),
  ),
  'POST webhooks': 'OAD',
  'PATCH webhooks/:webhookId': 'OAD',
  'DELETE webhooks/:webhookId': 'OAD',
  'POST webhooks/:webhookId/rotate-secret': 'OAD',
  'POST webhooks/:webhookId/test': 'OAD',
  'POST webhooks/:webhookId/deliveries/:deliveryId/replay': 'OAD',
  'POST suppressions': 'OAM',
  'DELETE suppressions/:suppressionId': 'OAM',
  'GET dead-letters/:deadLetterId': 'OAD',
  'POST dead-letters/:deadLetterId/replay': 'OAD',
  'POST dead-letters/:deadLetterId/discard': 'OAD',
  'GET members': 'OA',
  'POST members': 'OA',
  'PATCH members/:memberId': 'OA',
  'POST members/:memberId/invitation': 'OA',
  'DELETE members/:memberId': 'OA',
  'GET administrator-tokens': 'OA',
  'POST administrator-tokens': 'OA',
  'DELETE administrator-tokens/:tokenId': 'OA',
  'GET audit': 'OA',
};

const routes = apiRoutes(api.deps)
  .filter(({ access }) => access !== 'public')
  .map(({ method, path }) => ({
    name: `${method} ${path}`,
    method,
    path: path.replaceAll(/:\w+/g, () => systemIds.uuid()),
  }));
const changing = routes.filter(({ method }) => method !== 'GET');

const call = (
  { method, path }: { readonly method: string; readonly path: string },
  headers: Headers,
) =>
  api.request(method, path, {
    headers,
    ...(method !== 'GET' && method !== 'DELETE' && { body: {} }),
  });

test('every route has roles, and every entry has a route', () => {
  expect(new Set(Object.keys(ROUTE_ROLES))).toEqual(new Set(routes.map(({ name }) => name)));
});

describe('who may call with a session', () => {
  const signedIn = new Map<MemberRole, SignedInMember>();

  test.each(routes)('$name', async (route) => {
    const answers: {
      readonly role: MemberRole;
      readonly status: number;
      readonly code: string | undefined;
    }[] = [];
    for (const role of MEMBER_ROLES) {
      const member = signedIn.get(role) ?? (await api.signIn(role));
      signedIn.set(role, member);
      const { status, problem } = await call(route, member.headers);
      if (route.name === 'DELETE session') signedIn.delete(role);
      answers.push({ role, status, code: status < 400 ? undefined : problem.code });
    }
    const isRefused = ({ code }: (typeof answers)[number]): boolean => code === 'role_forbidden';
    const allowed = answers.filter((answer) => !isRefused(answer));

    expect(
      answers
        .filter(isRefused)
        .map(({ status }) => status)
        .filter((status) => status !== 403),
    ).toEqual([]);
    expect(allowed.filter(({ status }) => status === 401 || status === 403)).toEqual([]);
    expect(allowed.map(({ role }) => INITIALS[role]).join('')).toBe(
      EXPECTED[route.name] ?? (route.method === 'GET' ? 'OADMV' : 'not said'),
    );
  });
});

describe('a change with a session', () => {
  /** Of all routes but the one that ends it. */
  let owner: SignedInMember | undefined;
  let other: SignedInMember;
  beforeAll(async () => {
    other = await api.signIn('owner');
  });

  test.each(changing)(
    '$name needs the token of the session, from a page of ours',
    async (route) => {
      owner ??= await api.signIn('owner');
      const { token, headers } = owner;
      const { 'Sec-Fetch-Site': _site, ...untold } = headers;
      const refused: readonly Headers[] = [
        { ...headers, 'X-CSRF-Token': '' },
        { ...headers, 'X-CSRF-Token': String(other.headers['X-CSRF-Token']) },
        { ...headers, 'X-CSRF-Token': token },
        { ...headers, 'Sec-Fetch-Site': 'cross-site' },
        { ...headers, 'Sec-Fetch-Site': 'same-site' },
        { ...untold, Origin: 'https://evil.example' },
        { ...untold, Origin: 'null' },
        untold,
      ];

      for (const wrong of refused) {
        const { status, problem } = await call(route, wrong);
        expect([status, problem.code]).toEqual([403, 'csrf_rejected']);
      }
      const { status } = await call(route, { ...untold, Origin: api.url });
      expect([401, 403]).not.toContain(status);
      if (route.name === 'DELETE session') owner = undefined;
    },
  );

  test('pages of other sites cannot sign in', async () => {
    const foreign: readonly Headers[] = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { Origin: 'https://evil.example' },
    ];
    for (const headers of foreign) {
      for (const path of ['session', 'session/invitation', 'session/first-administrator']) {
        expect((await api.request('POST', path, { headers, body: {} })).problem.code).toBe(
          'csrf_rejected',
        );
      }
    }
  });
});

describe('the application of a session', () => {
  test('is named by the header, or by the query of a GET, for links and streams', async () => {
    const { token, headers } = await api.signIn('viewer');
    const status = async (path: string, more: Headers = asPage(token)) =>
      (await api.request('GET', path, { headers: more })).status;

    expect(await status('campaigns', headers)).toBe(200);
    expect(await status(`campaigns?applicationId=${api.tenant.applicationId}&limit=1`)).toBe(200);
    expect(await status('campaigns')).toBe(400);
    expect(await status(`campaigns?applicationId=${systemIds.uuid()}`)).toBe(404);
    expect(await status('campaigns?applicationId=x')).toBe(404);
    expect(
      await status(
        `campaigns?applicationId=${api.tenant.applicationId}&applicationId=${api.other.applicationId}`,
      ),
    ).toBe(404);
  });

  test('is not named by the query of other methods', async () => {
    const { headers } = await api.signIn('owner');
    const { 'X-Application-Id': _id, ...bare } = headers;
    const query = `?applicationId=${api.tenant.applicationId}`;

    expect(
      (
        await api.request('POST', `keys${query}`, {
          headers: bare,
          body: { type: 'server', name: 'x' },
        })
      ).status,
    ).toBe(400);
    expect(
      (
        await api.request('GET', `campaigns${query}`, {
          headers: { Authorization: `Bearer ${api.adminToken}` },
        })
      ).status,
    ).toBe(400);
    expect((await api.request('GET', `campaigns${query}`, { headers: api.asServer })).status).toBe(
      400,
    );
  });

  test('explicit credentials take precedence over the cookie', async () => {
    const { headers } = await api.signIn('owner');

    expect(
      (
        await api.request('GET', 'campaigns', {
          headers: { ...headers, 'X-API-Key': 'sk_nobody' },
        })
      ).status,
    ).toBe(403);
    expect(
      (
        await api.request('GET', 'campaigns', {
          headers: { ...headers, Authorization: 'Bearer at_nobody' },
        })
      ).status,
    ).toBe(403);
  });
});
