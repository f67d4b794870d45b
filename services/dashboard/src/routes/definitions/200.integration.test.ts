import { afterAll, expect, test } from '@jest/globals';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});
const { asAdmin: headers, asServer } = dashboard;

test('GET definitions pages through those of the application, by name', async () => {
  const names = ['apple', 'banana', 'cherry', 'date', 'elder'];
  for (const name of names.toReversed()) await dashboard.request('POST', 'definitions', { headers, body: { name, kind: 'action' } });
  await dashboard.request('POST', 'definitions', { headers: { ...headers, 'X-Application-Id': dashboard.other.applicationId }, body: { name: 'theirs', kind: 'action' } });

  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body }: { body: { items: { name: string }[]; nextCursor: string | null } } = await dashboard.request('GET', `definitions?limit=2&cursor=${cursor}`, { headers: asServer });
    expect(body.items.length).toBeLessThanOrEqual(2);
    seen.push(...body.items.map(({ name }) => name));
    cursor = body.nextCursor;
  }

  expect(seen).toEqual(names);
});
