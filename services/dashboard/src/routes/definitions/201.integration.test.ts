import { afterAll, expect, test } from '@jest/globals';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});
const { asAdmin: headers } = dashboard;

test.each(['action', 'revenue', 'businessEvent'])(
  'POST definitions makes one of kind %s, with a slug of its own',
  async (kind) => {
    const { status, body } = await dashboard.request('POST', 'definitions', {
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

test('names are compared as they are', async () => {
  for (const name of ['Bought', ' bought', 'bought ', 'é', 'e\u0301']) {
    expect(
      (await dashboard.request('POST', 'definitions', { headers, body: { name, kind: 'action' } }))
        .body,
    ).toMatchObject({ name });
  }
});
