import { afterAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { createDeadLetter } from '../../testing/dead-letter.ts';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, other, asAdmin: headers } = api;
const notOurs = await createDeadLetter(db, other);

test.each([
  ['another application’s', notOurs],
  ['with an unknown id', systemIds.uuid()],
  ['that is no UUID', 'x'],
])('a dead letter %s cannot be read, replayed or discarded', async (_, id) => {
  for (const [method, path] of [
    ['GET', id],
    ['POST', `${id}/replay`],
    ['POST', `${id}/discard`],
  ] as const) {
    const { status, problem } = await api.request(method, `dead-letters/${path}`, {
      headers,
    });

    expect([status, problem.code]).toEqual([404, 'not_found']);
  }
  const { rows } = await db.sql.query('select status from dead_letters where id = $1', [notOurs]);
  expect(rows).toEqual([{ status: 'waiting' }]);
});
