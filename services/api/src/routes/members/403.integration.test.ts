import { afterAll, expect, test } from '@jest/globals';
import { startTestApi, type Headers } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

const [owner, admin, viewer] = [
  await api.signIn('owner'),
  await api.signIn('admin'),
  await api.signIn('viewer'),
];
const who: readonly (readonly [string, Headers])[] = [
  ['an admin', admin.headers],
  ['an administrator token', api.asAdmin],
];

test.each(who)('%s makes no owner, and touches none', async (_name, headers) => {
  const ownersId = owner.member.id;
  const answers = [
    await api.request('POST', 'members', {
      headers,
      body: { email: 'new.owner@example.com', name: 'N', role: 'owner' },
    }),
    await api.request('PATCH', `members/${viewer.member.id}`, {
      headers,
      body: { role: 'owner' },
    }),
    await api.request('PATCH', `members/${admin.member.id}`, {
      headers,
      body: { role: 'owner' },
    }),
    await api.request('PATCH', `members/${ownersId}`, { headers, body: { role: 'viewer' } }),
    await api.request('PATCH', `members/${ownersId}`, { headers, body: { name: 'Mallory' } }),
    await api.request('POST', `members/${ownersId}/invitation`, { headers }),
    await api.request('DELETE', `members/${ownersId}`, { headers }),
  ];

  expect(answers.map(({ status, problem }) => [status, problem.code])).toEqual(
    answers.map(() => [403, 'role_forbidden']),
  );
  expect((await api.request('GET', 'session', { headers: owner.headers })).body).toMatchObject({
    user: { role: 'owner', name: owner.member.name },
  });
});

test('an administrator token cannot appoint or change admins: a leaked token must not give lasting access', async () => {
  const [adminsId, viewersId] = [admin.member.id, viewer.member.id];
  const headers = api.asAdmin;
  const asked = [
    ['POST', 'members', { email: 'new.admin@example.com', name: 'N', role: 'admin' }],
    ['PATCH', `members/${viewersId}`, { role: 'admin' }],
    ['PATCH', `members/${adminsId}`, { role: 'viewer' }],
    ['PATCH', `members/${adminsId}`, { name: 'Mallory' }],
    ['POST', `members/${adminsId}/invitation`, undefined],
    ['DELETE', `members/${adminsId}`, undefined],
  ] as const;
  const answers = [];
  for (const [method, path, body] of asked)
    answers.push(await api.request(method, path, { headers, body }));

  expect(answers.map(({ status, problem }) => [status, problem.code])).toEqual(
    answers.map(() => [403, 'role_forbidden']),
  );
  expect((await api.request('GET', 'session', { headers: admin.headers })).body).toMatchObject({
    user: { role: 'admin', name: admin.member.name },
  });
  expect((await api.request('GET', 'session', { headers: viewer.headers })).body).toMatchObject({
    user: { role: 'viewer' },
  });
});

test('an administrator token manages members with lesser roles', async () => {
  const headers = api.asAdmin;
  const { status, body } = await api.request<{ id: string }>('POST', 'members', {
    headers,
    body: { email: 'new.developer@example.com', name: 'N', role: 'developer' },
  });

  expect(status).toBe(201);
  expect((await api.request('POST', `members/${body.id}/invitation`, { headers })).status).toBe(
    201,
  );
  expect(
    (
      await api.request('PATCH', `members/${body.id}`, {
        headers,
        body: { role: 'marketer' },
      })
    ).status,
  ).toBe(200);
  expect((await api.request('DELETE', `members/${body.id}`, { headers })).status).toBe(204);
});
