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
  ['a name of null', { name: null, condition: german }, ['/name wrong_type']],
  ['an empty name', { name: '', condition: german }, ['/name empty']],
  ['a long name', { name: 'x'.repeat(257), condition: german }, ['/name too_long']],
  ['U+0000 in its name', { name: 'a\0', condition: german }, ['/name invalid_value']],
  ['a condition of null', { name: 'x', condition: null }, ['/condition wrong_type']],
  ['a condition as a list', { name: 'x', condition: [german] }, ['/condition wrong_type']],
  [
    'an integer that would be rounded',
    { name: 'x', condition: { attribute: 'id', is: JSON.rawJSON('9007199254740993') } },
    ['/condition/is out_of_range'],
  ],
  ['an empty condition', { name: 'x', condition: {} }, ['/condition exactly_one_of']],
  ['a list', [german], [' wrong_type']],
  [
    'a version as text',
    { name: 'x', condition: german, expectedVersion: '1' },
    ['/expectedVersion wrong_type'],
  ],
  [
    'a version below 0',
    { name: 'x', condition: german, expectedVersion: -1 },
    ['/expectedVersion out_of_range'],
  ],
  [
    'a version that no integer holds',
    { name: 'x', condition: german, expectedVersion: 2 ** 31 },
    ['/expectedVersion out_of_range'],
  ],
  [
    'half a version',
    { name: 'x', condition: german, expectedVersion: 0.5 },
    ['/expectedVersion wrong_type'],
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

const asked = { condition: german, customUserId: 'ada' };
test.each([
  ['explain', { condition: german }, ['/customUserId required']],
  ['explain', { condition: german, customUserId: 5 }, ['/customUserId wrong_type']],
  ['explain', { condition: german, customUserId: 'u'.repeat(257) }, ['/customUserId too_long']],
  ['explain', { condition: german, customUserId: '\0' }, ['/customUserId invalid_value']],
  ['explain', { ...asked, at: Date.now() + 60_000 }, ['/at out_of_range']],
  ['explain', { ...asked, at: -1 }, ['/at out_of_range']],
  ['explain', { ...asked, at: 'now' }, ['/at wrong_type']],
  ['count', {}, ['/condition required']],
  ['count', { condition: 5 }, ['/condition wrong_type']],
  ['count', { condition: german, limit: 1 }, ['/limit invalid_value']],
  ['preview', { condition: german, customUserId: 'ada' }, ['/customUserId invalid_value']],
])('POST segments/%s of %j', async (path, body, faults) => {
  const { status, problem } = await api.request('POST', `segments/${path}`, {
    headers: asServer,
    body,
  });

  expect(status).toBe(400);
  expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(faults);
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

test.each(['No%20slug', '-first', 'x'.repeat(65), '%D7%A9%D7%9D', 'a%2Fb'])(
  'PUT segments/%s, which is no slug',
  async (slug) => {
    const body = { name: 'x', condition: german };
    const { status, problem } = await api.request('PUT', `segments/${slug}`, { headers, body });

    expect(status).toBe(400);
    expect(problem).toMatchObject({
      code: 'validation_failed',
      errors: [
        {
          pointer: '/slug',
          code: 'invalid_value',
          expected:
            'up to 64 lower-case letters, digits and hyphens, beginning with a letter or digit',
        },
      ],
    });
  },
);
