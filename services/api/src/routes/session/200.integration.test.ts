import { afterAll, describe, expect, jest, test } from '@jest/globals';
import type { Member } from '@tidings/accounts/members/member';
import { addMember, setPassword } from '@tidings/accounts/members/members';
import { authenticateSession } from '@tidings/accounts/members/sessions';
import { issueInvitation } from '@tidings/accounts/members/invitations';
import { systemIds } from '@tidings/platform';
import { readCookie } from '../../testing/cookies.ts';
import { asPage, startTestApi } from '../../testing/test-api.ts';

// Hashing passwords takes long.
jest.setTimeout(30_000);

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, deps, tenant } = api;

const PASSWORD = 'correct horse battery staple';

async function newMember(password?: string): Promise<Member> {
  const member = await addMember(db, {
    email: `ada.${systemIds.uuid()}@Example.com`,
    name: 'Ada',
    role: 'developer',
  });
  if (member === null) throw new Error('the address is taken');
  if (password !== undefined)
    await setPassword(db, member.id, {
      passwordHash: await deps.passwords.hash(password),
      endsSessions: false,
    });
  return member;
}

const signIn = (email: string, password: string, headers = {}) =>
  api.request('POST', 'session', { headers, body: { email, password } });

describe('POST session', () => {
  test('signs in: a session in an HttpOnly cookie, the member and the applications', async () => {
    const { id, email, name, role } = await newMember(PASSWORD);

    const { status, body, headers } = await signIn(` ${email.toUpperCase()}`, PASSWORD);

    expect(status).toBe(200);
    expect(body).toEqual({
      user: { id, email, name, role },
      applications: expect.arrayContaining([
        { applicationId: tenant.applicationId, name: expect.any(String) },
      ]),
      csrfToken: expect.any(String),
    });
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^tidings-sid=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    expect(headers.get('cache-control')).toBe('no-store');
    const token = readCookie(headers);
    // Other tests create applications concurrently.
    expect(
      (
        await api.request('GET', 'session', {
          headers: { Cookie: `x=1; tidings-sid=${token}` },
        })
      ).body,
    ).toEqual({ ...body, applications: expect.arrayContaining(body['applications'] as unknown[]) });
    expect(asPage(token)['X-CSRF-Token']).toBe(body['csrfToken']);
  });

  test('neither token nor password is in the database', async () => {
    const { id, email } = await newMember(PASSWORD);
    const token = readCookie((await signIn(email, PASSWORD)).headers);

    const { rows } = await db.sql.query<{ row: string }>(
      "select m::text || s::text || encode(s.token_hash, 'escape') as row from members m join sessions s on s.member_id = m.id where m.id = $1",
      [id],
    );

    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(token);
    expect(rows[0]?.row).not.toContain(PASSWORD);
    expect(rows[0]?.row).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
  });

  test('the previous session of the browser ends', async () => {
    const { email } = await newMember(PASSWORD);
    const before = readCookie((await signIn(email, PASSWORD)).headers);

    const after = readCookie(
      (await signIn(email, PASSWORD, { Cookie: `tidings-sid=${before}` })).headers,
    );

    expect(after).not.toBe(before);
    expect(await authenticateSession(db, before, Date.now())).toBeNull();
    expect(await authenticateSession(db, after, Date.now())).not.toBeNull();
  });

  test('an outdated hash is replaced', async () => {
    const { id, email } = await newMember();
    const { hash } = await import('@node-rs/argon2');
    await setPassword(db, id, {
      passwordHash: await hash(PASSWORD, { memoryCost: 8_192, timeCost: 1, parallelism: 1 }),
      endsSessions: false,
    });

    expect((await signIn(email, PASSWORD)).status).toBe(200);

    const { rows } = await db.sql.query<{ password_hash: string }>(
      'select password_hash from members where id = $1',
      [id],
    );
    expect(rows[0]?.password_hash).toContain('m=19456,t=2,p=1');
    expect((await signIn(email, PASSWORD)).status).toBe(200);
  });

  test('over TLS, as reported by a trusted proxy, and on hosts other than loopback, the cookie has the __Host- prefix', async () => {
    await using behindNobody = await startTestApi({ trustedProxies: [] });
    const { email } = await newMember(PASSWORD);
    const secure = /^__Host-sid=[\w-]{43}; Max-Age=\d+; Path=\/; Secure; HttpOnly; SameSite=Lax$/;

    const overTls = await signIn(email, PASSWORD, { 'X-Forwarded-Proto': 'https' });

    expect(overTls.headers.getSetCookie()).toEqual([expect.stringMatching(secure)]);
    const token = readCookie(overTls.headers, '__Host-sid');
    const readWith = (headers: Record<string, string>) =>
      api.request('GET', 'session', { headers }).then(({ status }) => status);
    expect(await readWith({ 'X-Forwarded-Proto': 'https', Cookie: `__Host-sid=${token}` })).toBe(
      200,
    );
    // Over TLS the loopback cookie is not accepted.
    expect(await readWith({ 'X-Forwarded-Proto': 'https', Cookie: `tidings-sid=${token}` })).toBe(
      401,
    );
    // Only a trusted proxy can report TLS.
    const unheard = await behindNobody.request('POST', 'session', {
      headers: { 'X-Forwarded-Proto': 'https' },
      body: { email, password: PASSWORD },
    });
    expect(unheard.headers.getSetCookie()).toEqual([expect.stringMatching(/^tidings-sid=/)]);
  });
});

describe('POST session/password', () => {
  test('changes the password, and ends every other session', async () => {
    const { email } = await newMember(PASSWORD);
    const [here, elsewhere] = [
      readCookie((await signIn(email, PASSWORD)).headers),
      readCookie((await signIn(email, PASSWORD)).headers),
    ];

    const changed = await api.request('POST', 'session/password', {
      headers: asPage(here),
      body: { currentPassword: PASSWORD, newPassword: 'another horse altogether' },
    });

    expect(changed.status).toBe(200);
    for (const token of [here, elsewhere])
      expect(await authenticateSession(db, token, Date.now())).toBeNull();
    expect(await authenticateSession(db, readCookie(changed.headers), Date.now())).not.toBeNull();
    expect((await signIn(email, PASSWORD)).status).toBe(401);
    expect((await signIn(email, 'another horse altogether')).status).toBe(200);
  });
});

describe('POST session/invitation', () => {
  test('sets name and password and signs in, once; earlier sessions end', async () => {
    const member = await newMember(PASSWORD);
    const before = readCookie((await signIn(member.email, PASSWORD)).headers);
    const body = {
      token: await issueInvitation(db, member.id, Date.now()),
      name: 'Ada Lovelace',
      password: 'another horse altogether',
    };

    const {
      status,
      headers,
      body: answer,
    } = await api.request('POST', 'session/invitation', { headers: {}, body });

    expect(status).toBe(200);
    expect(answer).toMatchObject({
      user: { id: member.id, name: 'Ada Lovelace', role: 'developer' },
    });
    expect(await authenticateSession(db, readCookie(headers), Date.now())).not.toBeNull();
    expect(await authenticateSession(db, before, Date.now())).toBeNull();
    expect((await signIn(member.email, 'another horse altogether')).status).toBe(200);
    expect((await api.request('POST', 'session/invitation', { headers: {}, body })).status).toBe(
      404,
    );
  });

  test('an earlier invitation is invalid', async () => {
    const member = await newMember();
    const [first, second] = [
      await issueInvitation(db, member.id, Date.now()),
      await issueInvitation(db, member.id, Date.now()),
    ];
    const accept = (token: string) =>
      api.request('POST', 'session/invitation', {
        headers: {},
        body: { token, name: 'Ada', password: PASSWORD },
      });

    expect((await accept(first)).status).toBe(404);
    expect((await accept(second)).status).toBe(200);
  });
});
