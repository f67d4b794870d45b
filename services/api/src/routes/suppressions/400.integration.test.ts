import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers } = api;

const valid = { channel: 'EMAIL', address: 'ada@example.org', reason: 'suppressed_bounce' };

test.each([
  [{}, ['/address', '/channel', '/reason']],
  [{ ...valid, channel: 'WEB_HOOK' }, ['/channel']],
  [{ ...valid, channel: 'email' }, ['/channel']],
  [{ ...valid, address: '' }, ['/address']],
  [{ ...valid, address: 5 }, ['/address']],
  [{ ...valid, address: 'a\u0000@example.org' }, ['/address']],
  [{ ...valid, address: 'a@example.org, b@example.org' }, ['/address']],
  [{ ...valid, address: `${'a'.repeat(320)}@example.org` }, ['/address']],
  [{ ...valid, channel: 'SMS', reason: 'sms_stop', address: '0151 12345001' }, ['/address']],
  [{ ...valid, address: 'ada', reason: 'sms_stop' }, ['/address', '/reason']],
  [{ ...valid, reason: 'sms_stop' }, ['/reason']],
  [{ ...valid, reason: 'unknown_user' }, ['/reason']],
  [{ ...valid, until: 1 }, ['/until']],
])('POST suppressions %j', async (body, pointers) => {
  const { status, problem } = await api.request('POST', 'suppressions', { headers, body });

  expect(status).toBe(400);
  expect(problem.errors?.map(({ pointer }) => pointer).toSorted()).toEqual(pointers);
  expect(problem.errors?.filter(({ expected }) => expected === undefined)).toEqual([]);
  expect((await api.request('GET', 'suppressions', { headers })).body).toEqual({
    items: [],
    nextCursor: null,
  });
});

test.each(['cursor=x', 'channel=IN_APP', 'limit=501', 'reason=sms_stop'])(
  'GET suppressions?%s',
  async (query) => {
    expect((await api.request('GET', `suppressions?${query}`, { headers })).status).toBe(400);
  },
);
