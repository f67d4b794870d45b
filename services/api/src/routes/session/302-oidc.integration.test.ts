import { afterAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { listAuditEntries } from '@tidings/accounts/audit-log';
import type { Member } from '@tidings/accounts/members/member';
import { addMember, readMember, setPassword } from '@tidings/accounts/members/members';
import { authenticateSession } from '@tidings/accounts/members/sessions';
import { isLinkValid, issueInvitation } from '@tidings/accounts/members/invitations';
import { systemClock, systemIds } from '@tidings/platform';
import {
  createOwnDatabase,
  createRecordingLogger,
  eventually,
  testSecretBox,
} from '@tidings/testing';
import { createIdentityProvider } from '../../auth/identity-provider.ts';
import { readOidcSettings } from '../../auth/oidc-config.ts';
import { readCookie } from '../../testing/cookies.ts';
import { startIdentityProvider, type Claims } from '../../testing/identity-provider.ts';
import { startTestApi, type Answer } from '../../testing/test-api.ts';

jest.setTimeout(30_000);

const provider = await startIdentityProvider();
const settings = readOidcSettings({
  oidcIssuer: provider.issuer,
  oidcClientId: provider.clientId,
  oidcClientSecret: provider.clientSecret,
  oidcName: 'Example SSO',
  oidcScopes: 'openid email profile',
  oidcGroupsClaim: 'groups',
  oidcRoles: JSON.stringify({
    admins: 'admin',
    developers: 'developer',
    'cn=marketing,ou=groups': 'marketer',
  }),
});
if (settings === null) throw new Error('no settings');
const PASSWORD = 'correct horse battery staple';
const redirectUri = 'http://127.0.0.1/api/v1/session/oidc/callback';
const { logger } = createRecordingLogger();
const api = await startTestApi({
  identityProvider: createIdentityProvider(settings, {
    box: testSecretBox,
    clock: systemClock,
    logger,
    redirectUri,
  }),
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});
const { db } = api;

const person = (claims: Claims = {}): Claims => ({
  sub: systemIds.uuid(),
  email: `ada.${systemIds.uuid()}@example.com`,
  email_verified: true,
  name: 'Ada Lovelace',
  groups: ['developers'],
  ...claims,
});

beforeEach(() => {
  provider.claims = person();
  provider.userInfo = {};
  provider.isForging = false;
});

type Way = { readonly departure: Answer; readonly kept: string; readonly back: URL };

async function depart(): Promise<Way> {
  const departure = await api.request('GET', 'session/oidc', { headers: {} });
  return {
    departure,
    kept: readCookie(departure.headers, 'tidings-oidc'),
    back: await provider.visit(departure.headers.get('location') ?? ''),
  };
}

const comeBack = ({ kept, back }: Pick<Way, 'kept' | 'back'>) =>
  api.request('GET', `session/oidc/callback${back.search}`, {
    headers: kept === '' ? {} : { Cookie: `tidings-oidc=${kept}` },
  });

async function signIn(): Promise<{
  readonly member: Member | null;
  readonly location: string | null;
}> {
  const { headers } = await comeBack(await depart());
  const location = headers.get('location');
  const isIn = headers.getSetCookie().some((cookie) => cookie.startsWith('tidings-sid='));
  return {
    member: isIn ? await authenticateSession(db, readCookie(headers), Date.now()) : null,
    location,
  };
}

describe('there', () => {
  test('requests a code with PKCE, state and nonce; the browser keeps them encrypted', async () => {
    const { departure, kept } = await depart();

    expect(departure.status).toBe(302);
    const asked = Object.fromEntries(new URL(departure.headers.get('location') ?? '').searchParams);
    expect(asked).toEqual({
      client_id: provider.clientId,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      state: expect.any(String),
      nonce: expect.any(String),
      code_challenge: expect.any(String),
      code_challenge_method: 'S256',
    });
    expect(departure.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^tidings-oidc=v1\.[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    for (const secret of [asked['state'], asked['nonce']])
      expect(Buffer.from(kept.split('.')[1] ?? '', 'base64url').toString('latin1')).not.toContain(
        secret,
      );
  });

  test('the sign-in page shows the provider', async () => {
    expect((await api.request('GET', 'session/setup', { headers: {} })).body).toMatchObject({
      oidc: { name: 'Example SSO' },
    });
  });

  test('an unavailable provider is reported to the dashboard', async () => {
    const gone = await startIdentityProvider();
    await gone[Symbol.asyncDispose]();
    const away = createIdentityProvider(
      { ...settings, issuer: new URL(gone.issuer) },
      { box: testSecretBox, clock: systemClock, logger, redirectUri },
    );
    await using lonely = await startTestApi({ identityProvider: away });

    expect(
      (await lonely.request('GET', 'session/oidc', { headers: {} })).headers.get('location'),
    ).toBe('http://127.0.0.1/dashboard/?signInError=unavailable');
  });
});

describe('and back', () => {
  test('a new person becomes a member with the role of the group', async () => {
    const { member, location } = await signIn();

    expect(location).toBe('http://127.0.0.1/dashboard');
    expect(member).toMatchObject({
      email: provider.claims['email'],
      name: 'Ada Lovelace',
      role: 'developer',
      isInvited: false,
    });
    expect((await signIn()).member?.id).toBe(member?.id);
  });

  test('the highest role of all groups counts at each sign-in; a changed role ends earlier sessions', async () => {
    provider.claims = person({
      groups: ['others', 'cn=marketing,ou=groups', 'admins', 'developers'],
    });
    const first = await comeBack(await depart());
    expect((await authenticateSession(db, readCookie(first.headers), Date.now()))?.role).toBe(
      'admin',
    );

    provider.claims = { ...provider.claims, groups: 'cn=marketing,ou=groups' };
    const { member } = await signIn();

    expect(member?.role).toBe('marketer');
    expect(await authenticateSession(db, readCookie(first.headers), Date.now())).toBeNull();
  });

  test('without a role at the provider, the next sign-in ends sessions, links and password', async () => {
    const { member } = await signIn();
    const memberId = String(member?.id);
    await setPassword(db, memberId, {
      passwordHash: await api.deps.passwords.hash(PASSWORD),
      endsSessions: false,
    });
    const first = await comeBack(await depart());
    const invitation = await issueInvitation(db, memberId, Date.now());

    provider.claims = { ...provider.claims, groups: [] };
    expect(await signIn()).toEqual({
      member: null,
      location: 'http://127.0.0.1/dashboard/?signInError=no_role',
    });

    expect(await authenticateSession(db, readCookie(first.headers), Date.now())).toBeNull();
    const { status } = await api.request('POST', 'session', {
      headers: {},
      body: { email: member?.email, password: PASSWORD },
    });
    expect(status).toBe(401);
    expect(await isLinkValid(db, invitation, { isFirst: false, nowMs: Date.now() })).toBe(false);
    expect((await readMember(db, memberId))?.role).toBe('viewer');
    const [entry] = await listAuditEntries(db, { limit: 1, action: 'PATCH members/:memberId' });
    expect(entry).toMatchObject({
      actor: 'identity provider',
      target: { memberId },
      detail: { role: 'none' },
      status: 200,
    });

    provider.claims = { ...provider.claims, groups: ['admins'] };
    expect((await signIn()).member).toMatchObject({ id: memberId, role: 'admin' });
  });

  test('the last owner stays an owner without a role at the provider, but sessions end', async () => {
    await using lonely = await startTestApi(
      { identityProvider: api.deps.identityProvider },
      await createOwnDatabase(),
    );
    const owner = await addMember(lonely.db, {
      email: `${systemIds.uuid()}@example.com`,
      name: 'Grace',
      role: 'owner',
    });
    const ownersId = String(owner?.id);
    await setPassword(lonely.db, ownersId, {
      passwordHash: await api.deps.passwords.hash(PASSWORD),
      endsSessions: false,
    });
    const arrive = async (): Promise<Answer> => {
      const departure = await lonely.request('GET', 'session/oidc', { headers: {} });
      const back = await provider.visit(departure.headers.get('location') ?? '');
      return lonely.request('GET', `session/oidc/callback${back.search}`, {
        headers: { Cookie: `tidings-oidc=${readCookie(departure.headers, 'tidings-oidc')}` },
      });
    };
    provider.claims = person({ email: owner?.email });
    const first = await arrive();
    expect(
      (await authenticateSession(lonely.db, readCookie(first.headers), Date.now()))?.role,
    ).toBe('owner');

    provider.claims = { ...provider.claims, groups: [] };
    await arrive();

    expect(await authenticateSession(lonely.db, readCookie(first.headers), Date.now())).toBeNull();
    expect(
      (
        await lonely.request('POST', 'session', {
          headers: {},
          body: { email: owner?.email, password: PASSWORD },
        })
      ).body,
    ).toMatchObject({ user: { role: 'owner' } });
  });

  test('claims missing in the token come from the userinfo endpoint', async () => {
    const { email, groups, ...rest } = person();
    provider.claims = rest;
    provider.userInfo = { email, groups };

    expect((await signIn()).member).toMatchObject({ email, role: 'developer' });
  });

  test('an existing member with the address is linked, if the provider verified it', async () => {
    const member = await addMember(db, {
      email: `grace.${systemIds.uuid()}@example.com`,
      name: 'Grace',
      role: 'viewer',
    });
    provider.claims = person({ email: member?.email.toUpperCase(), email_verified: false });
    expect(await signIn()).toEqual({
      member: null,
      location: 'http://127.0.0.1/dashboard/?signInError=email_taken',
    });

    provider.claims = { ...provider.claims, email_verified: true };
    expect((await signIn()).member?.id).toBe(member?.id);

    // Now it is linked: another identity with the same address is rejected.
    provider.claims = { ...provider.claims, sub: 'another person' };
    expect((await signIn()).location).toMatch(/signInError=email_taken$/);
  });

  test('a failure is recorded with the member of the identity or address', async () => {
    const { member } = await signIn();
    const taken = await addMember(db, {
      email: `grace.${systemIds.uuid()}@example.com`,
      name: 'Grace',
      role: 'viewer',
    });
    const { email, ...rest } = provider.claims;
    const entriesOf = async (memberId: string | undefined) =>
      (
        await listAuditEntries(db, {
          limit: 10,
          action: 'GET session/oidc/callback',
          memberId: String(memberId),
        })
      ).filter(({ actor }) => actor === 'sign-in');

    provider.claims = { ...rest, email, groups: [] };
    expect((await signIn()).location).toMatch(/signInError=no_role$/);
    provider.claims = rest;
    expect((await signIn()).location).toMatch(/signInError=no_email$/);
    provider.claims = person({ email: taken?.email, email_verified: false });
    expect((await signIn()).location).toMatch(/signInError=email_taken$/);

    await eventually(async () =>
      expect((await entriesOf(member?.id)).map(({ status }) => status)).toEqual([401, 401]),
    );
    await eventually(async () =>
      expect((await entriesOf(taken?.id)).map(({ status }) => status)).toEqual([401]),
    );
  });

  test.each<[string, Claims, string]>([
    ['no group that has a role', { groups: ['others', '*'] }, 'no_role'],
    ['no groups', { groups: undefined }, 'no_role'],
    ['no address', { email: undefined }, 'no_email'],
    ['a nonce that is not ours', { nonce: 'another' }, 'failed'],
    ['no subject', { sub: undefined }, 'failed'],
  ])('%s: not let in', async (_name, claims, fault) => {
    provider.claims = person(claims);

    expect(await signIn()).toEqual({
      member: null,
      location: `http://127.0.0.1/dashboard/?signInError=${fault}`,
    });
  });

  test('a forged token is rejected', async () => {
    provider.isForging = true;

    expect(await signIn()).toEqual({
      member: null,
      location: 'http://127.0.0.1/dashboard/?signInError=failed',
    });
  });

  test('rejected: the code of another browser, no cookie, a forged cookie, another state, a repeated code', async () => {
    const [mine, theirs] = [await depart(), await depart()];
    const otherState = new URL(mine.back);
    otherState.searchParams.set('state', 'another');
    const locationOf = async (way: Pick<Way, 'kept' | 'back'>) =>
      (await comeBack(way)).headers.get('location');

    for (const way of [
      { ...mine, kept: theirs.kept },
      { ...mine, kept: '' },
      { ...mine, kept: 'v1.AAAA' },
      { ...mine, back: otherState },
    ]) {
      expect(await locationOf(way)).toMatch(/signInError=failed$/);
    }
    expect(await locationOf(mine)).toBe('http://127.0.0.1/dashboard');
    expect(await locationOf(mine)).toMatch(/signInError=failed$/);
  });

  test('a denial of the provider is reported to the dashboard', async () => {
    const { kept, back } = await depart();
    const refused = new URL(
      `${redirectUri}?error=access_denied&state=${back.searchParams.get('state')}`,
    );

    expect((await comeBack({ kept, back: refused })).headers.get('location')).toMatch(
      /signInError=failed$/,
    );
  });
});
