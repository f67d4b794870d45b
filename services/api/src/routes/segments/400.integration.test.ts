import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers, asServer } = api;
const german = { field: 'country', is: 'DE' };

test.each([
  ['an empty body', {}, ['/condition required', '/name required']],
  ['a blank name', { name: ' ', condition: german }, ['/name invalid_value']],
  ['a condition as text', { name: 'x', condition: 'DE' }, ['/condition wrong_type']],
  ['an unknown field', { name: 'x', condition: german, isLive: true }, ['/isLive invalid_value']],
  ['a fault inside', { name: 'x', condition: { all: [{}] } }, ['/condition/all/0 exactly_one_of']],
  [
    'an unknown event',
    { name: 'x', condition: { event: 'nosuch' } },
    ['/condition/event invalid_value'],
  ],
  ['itself', { name: 'x', condition: { segment: 'own' } }, ['/condition/segment invalid_value']],
])('PUT segments/{slug} with %s', async (_what, body, faults) => {
  const { status, problem } = await api.request('PUT', 'segments/own', { headers, body });

  expect(status).toBe(400);
  expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`).toSorted()).toEqual(
    faults,
  );
});

test('nothing is stored of it', async () => {
  expect((await api.request('GET', 'segments', { headers: asServer })).body['items']).toEqual([]);
});

test('a change that closes a cycle through others', async () => {
  const put = (slug: string, condition: object) =>
    api.request('PUT', `segments/${slug}`, { headers, body: { name: slug, condition } });
  await put('one', german);
  await put('two', { segment: 'one' });
  await put('three', { segment: 'two' });

  const { status, problem } = await put('one', { not: { segment: 'three' } });

  expect(status).toBe(400);
  expect(problem.errors).toMatchObject([
    { pointer: '/condition/not/segment', code: 'invalid_value' },
  ]);
});

test('a change that makes a segment above too deep', async () => {
  const put = (slug: string, condition: object) =>
    api.request('PUT', `segments/${slug}`, { headers, body: { name: slug, condition } });
  await put('bottom', german);
  await put('level-1', german);
  await put('level-2', { segment: 'level-1' });
  await put('level-3', { segment: 'level-2' });
  await put('level-4', { segment: 'level-3' });

  const { status, problem } = await put('level-1', { segment: 'bottom' });

  expect(status).toBe(400);
  expect(problem.errors).toMatchObject([
    { pointer: '/condition', expected: expect.stringContaining('in the segment level-4') },
  ]);
});

test.each(['preview', 'count', 'explain'])(
  'POST segments/%s names faults below /condition',
  async (path) => {
    const body = { condition: { all: [] }, ...(path === 'explain' && { customUserId: 'ada' }) };
    const { status, problem } = await api.request('POST', `segments/${path}`, {
      headers: asServer,
      body,
    });

    expect(status).toBe(400);
    expect(problem.errors).toMatchObject([{ pointer: '/condition/all', code: 'empty' }]);
  },
);
