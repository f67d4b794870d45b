import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDefinition } from '@tidings/events/definitions/definitions';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asAdmin: headers, asServer } = api;

test.each([
  [{}, ['/kind', '/name']],
  [{ name: 'x', kind: 'user' }, ['/kind']],
  [{ name: 'x', kind: 'Action' }, ['/kind']],
  [{ name: '', kind: 'action' }, ['/name']],
  [{ name: ' \t ', kind: 'action' }, ['/name']],
  [{ name: 'a\u0000', kind: 'action' }, ['/name']],
  [{ name: 'a\udc00', kind: 'action' }, ['/name']],
  [{ name: 'x'.repeat(257), kind: 'action' }, ['/name']],
  [{ name: 5, kind: 'action' }, ['/name']],
])('POST definitions %j', async (body, pointers) => {
  const { status, problem } = await api.request('POST', 'definitions', { headers, body });

  expect(status).toBe(400);
  expect(problem.errors?.map(({ pointer }) => pointer).toSorted()).toEqual(pointers);
});

test.each(['limit=0', 'limit=501', 'cursor=nosuch'])('GET definitions?%s', async (query) => {
  expect((await api.request('GET', `definitions?${query}`, { headers: asServer })).status).toBe(
    400,
  );
});

test.each([
  ['PATCH', 'definitions/qwert', { name: '' }, '/name'],
  ['PATCH', 'definitions/qwert', { name: ' ' }, '/name'],
  ['PATCH', 'definitions/qwert', { name: null }, '/name'],
  ['PATCH', 'definitions/qwert', { discarded: 'yes' }, '/discarded'],
  ['PATCH', 'definitions/qwert', { kind: 'action' }, '/kind'],
  ['POST', 'definitions/qwert/merge', {}, '/into'],
  ['POST', 'definitions/qwert/merge', { into: 5 }, '/into'],
  ['POST', 'definitions/qwert/merge', { into: 'a\u0000' }, '/into'],
])('%s %s %j', async (method, path, body, pointer) => {
  const { status, problem } = await api.request(method, path, { headers, body });

  expect(status).toBe(400);
  expect(problem.errors).toMatchObject([{ pointer, expected: expect.any(String) }]);
});

const definition = await createDefinition(db, {
  applicationId: tenant.applicationId,
  name: 'charted',
  kind: 'action',
});
const slug = typeof definition === 'string' ? definition : definition.slug;

describe.each(['UTC', 'Europe/Berlin', 'America/St_Johns'])(
  'the time of a chart in %s',
  (timeZone) => {
    const LAST = 8_640_000_000_000_000;
    const FIVE_DIGITS = Date.UTC(10_000, 5, 1);
    beforeAll(async () => {
      await api.request('PATCH', `applications/${tenant.applicationId}`, {
        headers,
        body: { settings: { timeZone } },
      });
    });

    test.each([
      [`step=day&from=${LAST}`, ['/from']],
      [`from=${LAST}`, ['/from']],
      [`step=day&from=${LAST}&to=${LAST}`, ['/from', '/to']],
      [`from=${LAST}&to=${LAST}`, ['/from', '/to']],
      [`step=day&from=${FIVE_DIGITS}&to=${FIVE_DIGITS + 1}`, ['/from', '/to']],
      ['step=day&from=1767225600001&to=1767225600000', ['/from']],
      ['from=1767225600001&to=1767225600000', ['/from']],
      [`from=${Date.UTC(2100, 0, 1)}`, ['/from']],
      ['points=0', ['/points']],
      ['step=day&points=2001', ['/points']],
      [`points=1&to=${LAST}`, ['/to']],
    ])('%s', async (query, pointers) => {
      for (const path of [`definitions/${slug}/chart`, 'revenue']) {
        const { status, problem } = await api.request('GET', `${path}?${query}`, {
          headers: asServer,
        });

        expect(status).toBe(400);
        expect(problem.errors).toEqual(
          pointers.map((pointer) => ({
            pointer,
            code: 'out_of_range',
            expected: expect.any(String),
          })),
        );
      }
    });

    test('either from or points', async () => {
      const { status, problem } = await api.request('GET', 'revenue?from=1&points=2', {
        headers: asServer,
      });

      expect([status, problem.errors]).toEqual([
        400,
        [{ pointer: '/points', code: 'exactly_one_of', expected: 'points or from' }],
      ]);
    });

    test.each([
      'step=day&from=0&to=1',
      'from=0&to=0',
      'points=2000',
      'step=day&points=2000',
      'points=24&to=1',
      `step=day&from=${Date.UTC(9998, 11, 31)}&to=${Date.UTC(9999, 0, 1)}`,
    ])('%s is valid', async (query) => {
      expect((await api.request('GET', `revenue?${query}`, { headers: asServer })).status).toBe(
        200,
      );
    });
  },
);
