import { afterAll, describe, expect, test } from '@jest/globals';
import { authenticateSession } from '@tidings/accounts/members/sessions';
import { systemIds } from '@tidings/platform';
import { readCookie } from '../../testing/cookies.ts';
import { readAll } from '../../testing/log-rows.ts';
import { startTestApi, type Headers } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db } = api;

const [owner, admin] = [await api.signIn('owner'), await api.signIn('admin')];
const invite = (headers: Headers, body: Readonly<Record<string, unknown>> = {}) =>
  api.request<{ id: string; invitationUrl: string }>('POST', 'members', {
    headers,
    body: { email: `${systemIds.uuid()}@example.com`, name: 'Ada', role: 'viewer', ...body },
  });

describe('POST members', () => {
  test('invites: the link creates a session with that role', async () => {
    const { status, body } = await invite(admin.headers, {
      role: 'marketer',
      email: 'Ada.New@Example.com',
    });

    expect(status).toBe(201);
    expect(body).toMatchObject({
      email: 'ada.new@example.com',
      role: 'marketer',
      isInvited: true,
      signedInAt: null,
      invitationUrl: expect.stringMatching(
        /^http:\/\/127\.0\.0\.1\/dashboard\/invitation#token=wl_\w{40}$/,
      ),
    });
    const accepted = await api.request('POST', 'session/invitation', {
      headers: {},
      body: {
        token: body.invitationUrl.split('#token=')[1],
        name: 'Ada Lovelace',
        password: 'correct horse battery staple',
      },
    });
    expect((await authenticateSession(db, readCookie(accepted.headers), Date.now()))?.role).toBe(
      'marketer',
    );
    const { items } = await readAll(
      async (cursor) =>
        (
          await api.request<{
            items: { id: string; isInvited: boolean }[];
            nextCursor: string | null;
          }>('GET', `members?limit=2&cursor=${cursor}`, { headers: admin.headers })
        ).body,
    );
    expect(items.find(({ id }) => id === body.id)).toMatchObject({
      name: 'Ada Lovelace',
      isInvited: false,
      signedInAt: expect.any(Number),
    });
    expect(JSON.stringify(items)).not.toContain('argon2');
  });

  test('a new link replaces the first', async () => {
    const { body } = await invite(admin.headers);

    const again = await api.request<{ invitationUrl: string }>(
      'POST',
      `members/${body.id}/invitation`,
      { headers: admin.headers },
    );

    expect(again.status).toBe(201);
    expect(again.body.invitationUrl).not.toBe(body.invitationUrl);
  });
});

describe('PATCH members/{id}', () => {
  test('a new role applies at once and ends earlier sessions', async () => {
    const developer = await api.signIn('developer');

    const { status, body } = await api.request('PATCH', `members/${developer.member.id}`, {
      headers: admin.headers,
      body: { role: 'viewer' },
    });

    expect([status, body['role']]).toEqual([200, 'viewer']);
    expect((await api.request('GET', 'session', { headers: developer.headers })).status).toBe(401);
  });

  test('a new name ends no session', async () => {
    const developer = await api.signIn('developer');

    await api.request('PATCH', `members/${developer.member.id}`, {
      headers: admin.headers,
      body: { name: 'Grace', role: 'developer' },
    });

    expect(
      (await api.request('GET', 'session', { headers: developer.headers })).body,
    ).toMatchObject({ user: { name: 'Grace' } });
  });

  test('owners appoint and change owners', async () => {
    const developer = await api.signIn('developer');

    expect(
      (
        await api.request('PATCH', `members/${developer.member.id}`, {
          headers: owner.headers,
          body: { role: 'owner' },
        })
      ).status,
    ).toBe(200);
    expect(
      (
        await api.request('PATCH', `members/${developer.member.id}`, {
          headers: owner.headers,
          body: { role: 'viewer' },
        })
      ).status,
    ).toBe(200);
    expect((await invite(owner.headers, { role: 'owner' })).status).toBe(201);
  });
});

describe('DELETE members/{id}', () => {
  test('ends all sessions at once', async () => {
    const developer = await api.signIn('developer');

    expect(
      (
        await api.request('DELETE', `members/${developer.member.id}`, {
          headers: admin.headers,
        })
      ).status,
    ).toBe(204);

    expect((await api.request('GET', 'session', { headers: developer.headers })).status).toBe(401);
    expect(
      (
        await api.request('DELETE', `members/${developer.member.id}`, {
          headers: admin.headers,
        })
      ).status,
    ).toBe(404);
  });
});
