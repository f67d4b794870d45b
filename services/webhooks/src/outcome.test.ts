import { describe, expect, test } from '@jest/globals';
import type { WebhookKind } from '@tidings/contracts/webhooks';
import { ConfigError, loadConfig } from '@tidings/platform';
import { webhooksConfig } from './config.ts';
import { redactedExcerpt } from './excerpt.ts';
import { type AttemptResult, decideOutcome } from './outcome.ts';
import { settingsFrom } from './settings.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const NOW = Date.parse('2026-03-01T12:00:00Z');

const { retryDelaysMs } = settingsFrom(
  loadConfig(webhooksConfig, { DATABASE_URL: 'x', ENCRYPTION_KEY: 'x' }),
);
const answer = (statusCode: number, retryAfter?: string): AttemptResult => ({
  statusCode,
  retryAfter,
  answer: '',
});
const outcome = (
  result: AttemptResult,
  {
    attempts = 1,
    random = 0,
    type = 'message.sent',
  }: { attempts?: number; random?: number; type?: WebhookKind } = {},
) => decideOutcome(result, { type, attempts }, { retryDelaysMs, nowMs: NOW, random: () => random });

describe('after an attempt', () => {
  test.each([200, 201, 202, 204, 299])('%d: success', (status) => {
    expect(outcome(answer(status))).toEqual({ outcome: 'succeeded' });
  });

  test('410: the receiver is gone', () => {
    expect(outcome(answer(410))).toEqual({ outcome: 'failed', reason: 'gone' });
  });

  test.each([100, 300, 301, 302, 307, 308, 400, 401, 403, 404, 408, 422, 429, 500, 502, 503, 599])(
    '%d: retried',
    (status) => {
      expect(outcome(answer(status))).toEqual({ outcome: 'retry', delayMs: 5 * SECOND });
    },
  );

  test.each(['timeout', 'connection_refused', 'address_refused', 'tls_failed'] as const)(
    '%s: retried',
    (error) => {
      expect(outcome({ error })).toEqual({ outcome: 'retry', delayMs: 5 * SECOND });
    },
  );

  test('the delays are the documented ones, at most 20 % longer; then it fails', () => {
    const promised = [
      5 * SECOND,
      5 * MINUTE,
      30 * MINUTE,
      2 * HOUR,
      5 * HOUR,
      10 * HOUR,
      10 * HOUR,
    ];

    expect(
      promised.map((_delay, index) => outcome(answer(500), { attempts: index + 1 }).delayMs),
    ).toEqual(promised);
    expect(
      promised.map(
        (_delay, index) => outcome(answer(500), { attempts: index + 1, random: 1 }).delayMs,
      ),
    ).toEqual(promised.map((delay) => delay * 1.2));
    expect(outcome(answer(500), { attempts: 8 })).toEqual({
      outcome: 'failed',
      reason: 'attempts_exhausted',
    });
  });

  test('a test event is not retried', () => {
    expect(outcome(answer(500), { type: 'webhook.ping' })).toEqual({
      outcome: 'failed',
      reason: 'attempts_exhausted',
    });
  });
});

describe('Retry-After', () => {
  test.each([
    ['120', 120 * SECOND],
    ['0', 5 * SECOND],
    ['3', 5 * SECOND],
    [new Date(NOW + 10 * MINUTE).toUTCString(), 10 * MINUTE],
    [new Date(NOW - HOUR).toUTCString(), 5 * SECOND],
    ['999999999', 10 * HOUR],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 10 * HOUR],
    ['soon', 5 * SECOND],
    ['-5', 5 * SECOND],
    ['1e9', 5 * SECOND],
    ['', 5 * SECOND],
  ])(
    '%j: due after %d ms, the longer of the requested and the documented delay, ten hours at most',
    (retryAfter, delayMs) => {
      for (const status of [429, 503])
        expect(outcome(answer(status, retryAfter))).toEqual({ outcome: 'retry', delayMs });
    },
  );

  test('does not make attempts endless', () => {
    expect(outcome(answer(503, '60'), { attempts: 8 })).toEqual({
      outcome: 'failed',
      reason: 'attempts_exhausted',
    });
  });
});

describe('excerpt', () => {
  test.each([
    ['not found', 'not found'],
    ['{"error":"no such table orders"}', '{"error":"no such table orders"}'],
    ['<html>\r\n<b>502</b>\tBad Gateway\u0000</html>', '<html> <b>502</b> Bad Gateway </html>'],
    ['user ada@example.org is unknown', 'user … is unknown'],
    ['call +49 (151) 123-4567 now', 'call …now'],
    [`token ${'a1B2'.repeat(10)} expired`, 'token … expired'],
    ['\ud800', '\ufffd'],
  ])('%j is kept as %j', (answer, kept) => {
    expect(redactedExcerpt(answer)).toBe(kept);
  });

  test('at most 1,024 characters are kept, and a very long text is fast', () => {
    const startedMs = performance.now();
    for (const filler of ['x ', '@', 'a', '1 ', '+1'])
      expect(redactedExcerpt(filler.repeat(60_000)).length).toBeLessThanOrEqual(1_024);

    expect(performance.now() - startedMs).toBeLessThan(1_000);
  });
});

describe('settings', () => {
  const settings = (environment: Readonly<Record<string, string>>) =>
    settingsFrom(
      loadConfig(webhooksConfig, { DATABASE_URL: 'x', ENCRYPTION_KEY: 'x', ...environment }),
    );

  test('converts the configuration to milliseconds', () => {
    expect(
      settings({ WEBHOOK_RETRY_DELAYS_SECONDS: '1, 20', WEBHOOK_DISABLE_AFTER_HOURS: '2' }),
    ).toMatchObject({
      retryDelaysMs: [1_000, 20_000],
      disableAfterMs: 7_200_000,
    });
  });

  test.each([
    [{ WEBHOOK_RETRY_DELAYS_SECONDS: '5,soon' }],
    [{ WEBHOOK_RETRY_DELAYS_SECONDS: '-5' }],
    [{ WEBHOOK_LEASE_MS: '14999', WEBHOOK_TIMEOUT_MS: '10000' }],
  ])('%j stops the start', (environment) => {
    expect(() => settings(environment)).toThrow(ConfigError);
  });
});
