import { afterAll, expect, test } from '@jest/globals';
import { claimReplay } from '@tidings/events/dead-letters';
import { createDeadLetter } from '../../testing/dead-letter.ts';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asAdmin: headers } = api;

const act = (id: string, action: 'replay' | 'discard') =>
  api.request('POST', `dead-letters/${id}/${action}`, { headers });
const statusOf = async (id: string) =>
  (await api.request('GET', `dead-letters/${id}`, { headers })).body['status'];

test('a discarded dead letter is neither replayed nor discarded again', async () => {
  const id = await createDeadLetter(db, tenant);
  await act(id, 'discard');

  for (const action of ['replay', 'discard'] as const)
    expect(await act(id, action)).toMatchObject({ status: 409, problem: { code: 'conflict' } });
});

test('a replayed dead letter is neither replayed nor discarded', async () => {
  const id = await createDeadLetter(db, tenant);
  await act(id, 'replay');
  await claimReplay(db.sql, { deadLetterId: id, consumer: 'events' });

  for (const action of ['replay', 'discard'] as const)
    expect(await act(id, action)).toMatchObject({ status: 409, problem: { code: 'conflict' } });
});

test('a replaying dead letter is not discarded', async () => {
  const id = await createDeadLetter(db, tenant);
  await act(id, 'replay');

  expect(await act(id, 'discard')).toMatchObject({ status: 409, problem: { code: 'conflict' } });
  expect(await statusOf(id)).toBe('replaying');
});

test('a record that Kafka rejects stays waiting', async () => {
  const id = await createDeadLetter(db, { ...tenant, value: Buffer.alloc(3 * 1024 * 1024) });

  expect(await act(id, 'replay')).toMatchObject({ status: 409, problem: { code: 'conflict' } });
  expect(await statusOf(id)).toBe('waiting');
});
