import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers } = api;

test.each(['action', 'revenue', 'businessEvent'])(
  'POST definitions creates one of kind %s, with its own slug',
  async (kind) => {
    const { status, body } = await api.request('POST', 'definitions', {
      headers,
      body: { name: 'bought', kind },
    });

    expect(status).toBe(201);
    expect(body).toEqual({
      slug: expect.stringMatching(/^[a-z]{5}$/),
      name: 'bought',
      kind,
      origin: 'predefined',
      discarded: false,
      byClientKey: false,
      createdAt: expect.any(Number),
    });
  },
);

test('names are compared exactly', async () => {
  for (const name of ['Bought', ' bought', 'bought ', 'é', 'e\u0301']) {
    expect(
      (await api.request('POST', 'definitions', { headers, body: { name, kind: 'action' } })).body,
    ).toMatchObject({ name });
  }
});
