import { expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

test('an Idempotency-Key with another body than before', async () => {
  await using api = await startTestApi();
  const { headers, member } = await api.signIn('marketer');
  const post = (text: string) =>
    api.request('POST', 'campaigns', {
      headers: { ...headers, 'Idempotency-Key': 'one' },
      body: { recipients: ['u1'], channel: 'SMS', message: { body: text } },
    });

  const answers = [await post('Hi'), await post('Ho')];

  expect(answers.map(({ status, problem }) => [status, problem.code])).toEqual([
    [200, undefined],
    [409, 'idempotency_conflict'],
  ]);
  expect(api.announced).toHaveLength(1);
  const { rows } = await api.db.sql.query(
    'select status from audit_entries where member_id = $1 order by at, id',
    [member.id],
  );
  expect(rows).toEqual([{ status: 200 }, { status: 409 }]);
});
