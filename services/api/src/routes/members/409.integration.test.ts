import { afterAll, expect, test } from '@jest/globals';
import { createOwnDatabase } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi({}, await createOwnDatabase());
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test('an e-mail address that is taken, in any letter case', async () => {
  const { headers, member } = await api.signIn('admin');

  const { status } = await api.request('POST', 'members', {
    headers,
    body: { email: member.email.toUpperCase(), name: 'A', role: 'viewer' },
  });

  expect(status).toBe(409);
});

test('the last owner stays an owner, also with concurrent requests', async () => {
  const owners = [await api.signIn('owner'), await api.signIn('owner')];

  const answers = await Promise.all(
    owners.map(({ headers, member }, index) =>
      index === 0
        ? api.request('DELETE', `members/${member.id}`, { headers })
        : api.request('PATCH', `members/${member.id}`, { headers, body: { role: 'admin' } }),
    ),
  );

  expect(answers.filter(({ status }) => status < 400)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(1);
  const { rows } = await api.db.sql.query<{ n: number }>(
    `select count(*)::int as n from members where role = 'owner'`,
  );
  expect(rows).toEqual([{ n: 1 }]);
});
