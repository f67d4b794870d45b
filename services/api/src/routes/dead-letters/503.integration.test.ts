import { afterAll, expect, test } from '@jest/globals';
import { createDeadLetter } from '../../testing/dead-letter.ts';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, bus, tenant, asAdmin: headers } = api;

test('while Kafka is unavailable a replay gets 503 and can be retried; other requests work', async () => {
  const [id, discarded] = [await createDeadLetter(db, tenant), await createDeadLetter(db, tenant)];
  const replay = () => api.request('POST', `dead-letters/${id}/replay`, { headers });

  bus.setAvailable(false);
  const refused = await replay();
  const others = [
    await api.request('GET', 'dead-letters', { headers }),
    await api.request('POST', `dead-letters/${discarded}/discard`, { headers }),
  ];
  bus.setAvailable(true);
  const accepted = await replay();

  expect(refused).toMatchObject({ status: 503, problem: { code: 'unavailable' } });
  expect(refused.headers.get('retry-after')).toBe('2');
  expect(others.map(({ status }) => status)).toEqual([200, 200]);
  expect(accepted).toMatchObject({ status: 200, body: { id, status: 'replaying' } });
});
