import { expect, test } from '@jest/globals';
import { CLIENT_HEADERS, batchWith, startTestGateway } from '../../testing/test-gateway.ts';

test('campaigns have their own rate, reported on every response to a valid key', async () => {
  await using gateway = await startTestGateway({
    rates: { ingest: { perSecond: 1, burst: 10 }, push: { perSecond: 1, burst: 2 } },
  });
  const push = (headers?: Readonly<Record<string, string>>) =>
    gateway.post('{', { path: '/push', ...(headers && { headers }) });

  const answers = [await push(), await push(CLIENT_HEADERS), await push(), await push()];

  expect(
    answers.map(({ status, problem, headers }) => [
      status,
      problem.code,
      headers.get('RateLimit-Remaining'),
    ]),
  ).toEqual([
    [400, 'invalid_json', '1'],
    // A Client key may not send campaigns and spends no tokens.
    [403, 'client_key_forbidden', '1'],
    [400, 'invalid_json', '0'],
    [429, 'rate_limited', '0'],
  ]);
  expect(answers[3]?.headers.get('Retry-After')).toBe('1');
  expect((await gateway.post(batchWith())).headers.get('RateLimit-Limit')).toBe('10');
});
