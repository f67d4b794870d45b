import { describe, expect, test } from '@jest/globals';
import { createAdmission } from '@tidings/http/admission';
import {
  APPLICATION_ID,
  OTHER_APPLICATION_ID,
  OTHER_KEY,
  SERVER_HEADERS,
  batchWith,
  grantWith,
  startTestGateway,
  type Answer,
} from '../../testing/test-gateway.ts';

const RATES = { ingest: { perSecond: 2, burst: 4 } };

const rateOf = ({ headers }: Answer) =>
  ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After'].map((name) =>
    headers.get(name),
  );

describe('a rate', () => {
  test('admits its burst, then rejects with Retry-After', async () => {
    await using gateway = await startTestGateway({ rates: RATES });
    const answers: Answer[] = [];
    for (let request = 0; request < 5; request += 1)
      answers.push(await gateway.post(batchWith({ id: `m${request}` })));

    expect(answers.map(rateOf)).toEqual([
      ['4', '3', '1', null],
      ['4', '2', '1', null],
      ['4', '1', '2', null],
      ['4', '0', '2', null],
      ['4', '0', '2', '1'],
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429]);
    expect(answers[4]?.problem.code).toBe('rate_limited');
    expect(gateway.records).toHaveLength(4);

    gateway.clock.advance(1_000);
    expect([
      (await gateway.post(batchWith())).status,
      (await gateway.post(batchWith())).status,
      (await gateway.post(batchWith())).status,
    ]).toEqual([200, 200, 429]);
  });

  test('is of one application', async () => {
    await using gateway = await startTestGateway({ rates: { ingest: { perSecond: 1, burst: 1 } } });
    await gateway.post(batchWith());

    expect((await gateway.post(batchWith())).status).toBe(429);
    const other = {
      ...SERVER_HEADERS,
      'X-Application-Id': OTHER_APPLICATION_ID,
      'X-API-Key': OTHER_KEY,
    };
    expect((await gateway.post(batchWith(), { headers: other })).status).toBe(200);
  });

  test('is decided before the body is read: too large and broken bodies are 429 too', async () => {
    await using gateway = await startTestGateway({ rates: { ingest: { perSecond: 1, burst: 1 } } });
    await gateway.post(batchWith());

    expect((await gateway.post('{')).status).toBe(429);
    expect((await gateway.post('x'.repeat(2 * 1024 * 1024))).status).toBe(429);
  });

  test('is not spent by wrong keys or by requests without admission', async () => {
    const admission = createAdmission({ path: 'ingest', bytesMax: 1024 * 1024, requestsMax: 0 });
    await using gateway = await startTestGateway({
      rates: RATES,
      admissions: { ingest: admission },
    });

    const wrong = await gateway.post(batchWith(), {
      headers: { ...SERVER_HEADERS, 'X-API-Key': 'sk_wrong' },
    });
    const full = await gateway.post(batchWith());

    expect([wrong.status, ...rateOf(wrong)]).toEqual([403, null, null, null, null]);
    expect([full.status, ...rateOf(full).slice(0, 3)]).toEqual([503, '4', '4', '0']);
  });

  test('is reported on every other response to a valid key', async () => {
    const allowList = ['192.0.2.1'];
    const blocked = grantWith(APPLICATION_ID, 'server', { allowList });
    await using gateway = await startTestGateway({
      rates: { ingest: { perSecond: 1, burst: 100 } },
    });
    await using closed = await startTestGateway({
      rates: RATES,
      findKeyGrant: async () => blocked,
    });

    expect(rateOf(await gateway.post('{'))).toEqual(['100', '99', '1', null]);
    expect(rateOf(await gateway.post('x'.repeat(2 * 1024 * 1024)))).toEqual([
      '100',
      '98',
      '2',
      null,
    ]);
    expect(
      rateOf(
        await gateway.post('x', { headers: { ...SERVER_HEADERS, 'Content-Type': 'text/plain' } }),
      ),
    ).toEqual(['100', '97', '3', null]);
    expect(rateOf(await closed.post(batchWith()))).toEqual(['4', '4', '0', null]);
  });

  test('that is off admits everything and is not reported', async () => {
    await using gateway = await startTestGateway({ rates: { ingest: { perSecond: 0, burst: 1 } } });

    for (let request = 0; request < 20; request += 1) {
      const answer = await gateway.post(batchWith({ id: `m${request}` }));
      expect([answer.status, ...rateOf(answer)]).toEqual([200, null, null, null, null]);
    }
  });

  test.each([
    ['wins over the operator’s', { ingest: { perSecond: 1, burst: 2 } }, [200, 200, 429]],
    ['may be off', { ingest: { perSecond: 0, burst: 1 } }, [200, 200, 200]],
    [
      'of another address changes nothing here',
      { push: { perSecond: 0, burst: 1 } },
      [200, 429, 429],
    ],
  ])('of the application %s', async (_what, rates, statuses) => {
    const grant = grantWith(APPLICATION_ID, 'server', { settings: { rates } });
    await using gateway = await startTestGateway({
      rates: { ingest: { perSecond: 1, burst: 1 } },
      findKeyGrant: async () => grant,
    });

    const answers = [
      await gateway.post(batchWith()),
      await gateway.post(batchWith()),
      await gateway.post(batchWith()),
    ];

    expect(answers.map(({ status }) => status)).toEqual(statuses);
  });
});
