import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers } = api;

test.each([
  [{}, ['/entries']],
  [{ entries: '10.0.0.0/8' }, ['/entries']],
  [{ entries: ['::1', '10.0.0.0/8', '2001:db8::/32', '10.0.0.0/33'] }, ['/entries/3']],
  [{ entries: ['localhost', '10.0.0.0/8', ''] }, ['/entries/2']],
  [{ entries: ['localhost', '10.0.0.0/8', '010.0.0.1'] }, ['/entries/0', '/entries/2']],
  [{ entries: [5] }, ['/entries/0']],
  [{ entries: ['10.0.0.1', '\u0000'] }, ['/entries/1']],
  [{ entries: ['\ud800'] }, ['/entries/0']],
  [{ entries: Array(1_001).fill('10.0.0.1') }, ['/entries']],
  [{ entries: [], mode: 'off' }, ['/mode']],
])('PUT allow-list %j reports each invalid entry, and changes nothing', async (body, pointers) => {
  const { status, problem } = await api.request('PUT', 'allow-list', { headers, body });

  expect(status).toBe(400);
  expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(pointers);
  expect(problem.errors?.filter(({ expected }) => expected === undefined)).toEqual([]);
  expect(api.keyChanges).toEqual([]);
  expect((await api.request('GET', 'allow-list', { headers })).body).toMatchObject({
    entries: [],
  });
});
