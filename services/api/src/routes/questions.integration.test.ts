import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createInProcessCoordination } from '@tidings/coordination';
import { acceptCampaign } from '@tidings/delivery/accept';
import { createFakeClock, newCampaign, registerUsers } from '@tidings/testing';
import { asKey, startTestApi } from '../testing/test-api.ts';

const clock = createFakeClock();
const limiter = createInProcessCoordination({ clock }).rateLimiters({ replicas: 1 })('questions');
const api = await startTestApi({
  questionRateOf: (caller) => limiter.localOf(caller, { perSecond: 2, burst: 3 }),
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, other, asServer, asAdmin } = api;
const { applicationId } = tenant;
const { questions } = api.deps;

const condition = { field: 'country', is: 'DE' } as const;
const message = { title: 'Hello', body: 'Hello' };
const variants = [{ name: 'German', condition, message }];
const template = { channel: 'EMAIL', message, variants };
const funnel = { steps: [{ event: 'viewd' }, { event: 'viewd' }], window: '1h' };
const campaign = newCampaign({
  applicationId,
  recipients: ['ada'],
  templates: [{ slug: 'hello', version: 1, share: 1, message, variants }],
});

beforeAll(async () => {
  await registerUsers(db, applicationId, { ada: {} });
  await db.sql.query(
    `insert into definitions (application_id, slug, kind, name, origin)
     values ($1, 'viewd', 'action', 'viewed', 'auto')`,
    [applicationId],
  );
  await acceptCampaign(db, campaign);
  for (const [path, body] of [
    ['segments/german', { name: 'German', condition }],
    ['templates/hello', { name: 'Hello', ...template }],
    ['funnels/own', { name: 'Own', ...funnel }],
  ] as const)
    await api.request('PUT', path, { headers: asAdmin, body });
});

type Asked = readonly [method: string, path: string, body?: object];
const ASKED: readonly Asked[] = [
  ['POST', 'segments/preview', { condition }],
  ['GET', 'suggestions'],
  ['POST', 'segments/explain', { condition, customUserId: 'ada' }],
  ['GET', 'segments/german/users/ada'],
  ['GET', 'users/ada/segments'],
  ['POST', 'funnels/explain', { ...funnel, from: 0, to: 1, customUserId: 'ada' }],
  ['GET', 'funnels/own/users/ada'],
  ['POST', 'funnels/preview', { ...funnel, from: 0, to: 1 }],
  ['POST', 'templates/preview', { ...template, customUserId: 'ada' }],
  ['POST', 'templates/hello/preview', { customUserId: 'ada' }],
  ['POST', `campaigns/${campaign.campaignId}/render`, { customUserId: 'ada' }],
];
const ask = ([method, path, body]: Asked, headers = asServer) =>
  api.request(method, path, { headers, ...(body !== undefined && { body }) });

/** Takes two places and five to wait, until it is released. */
async function holdPlaces(): Promise<() => Promise<void>> {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const work = Array.from({ length: 7 }, () => questions.withPlace(applicationId, () => held));
  return async () => {
    release();
    await Promise.all(work);
  };
}

describe('questions about few users', () => {
  test.each(ASKED)('%s %s is answered', async (...asked) => {
    clock.advance(60_000);

    expect((await ask(asked)).status).toBe(200);
  });

  test.each(ASKED)(
    '%s %s is 503 at once when too many of the application wait',
    async (...asked) => {
      clock.advance(60_000);
      const release = await holdPlaces();
      try {
        const { status, headers, problem } = await ask(asked);

        expect([status, problem.code, headers.get('retry-after')]).toEqual([
          503,
          'unavailable',
          '5',
        ]);
        expect(problem.detail).toMatch(/^Many questions/);
      } finally {
        await release();
      }
    },
  );

  test('those of another application are answered meanwhile', async () => {
    const release = await holdPlaces();
    try {
      const { status } = await ask(
        ['POST', 'segments/preview', { condition }],
        asKey(other, other.serverKey),
      );

      expect(status).toBe(200);
    } finally {
      await release();
    }
  });

  test.each(ASKED)('%s %s counts in the rate of its caller', async (...asked) => {
    clock.advance(60_000);
    for (let time = 0; time < 3; time += 1) expect((await ask(asked)).status).toBe(200);

    const { status, headers, problem } = await ask(asked);

    expect([status, problem.code, headers.get('retry-after')]).toEqual([429, 'rate_limited', '1']);
    expect(headers.get('ratelimit-limit')).toBe('3');
    expect((await ask(asked, asAdmin)).status).toBe(200);
    clock.advance(500);
    expect((await ask(asked)).status).toBe(200);
  });

  test('checking a template without a user takes no place, and counts', async () => {
    clock.advance(60_000);
    const release = await holdPlaces();
    try {
      const check = () => ask(['POST', 'templates/preview', template]);
      for (let time = 0; time < 3; time += 1) expect((await check()).status).toBe(200);

      expect((await check()).status).toBe(429);
    } finally {
      await release();
    }
  });
});
