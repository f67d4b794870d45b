import { expect, test } from '@jest/globals';
import webPush from 'web-push';
import { createVapidHeaders } from './vapid-headers.ts';

const HOUR_MS = 3_600_000;
const keys = () => ({ subject: 'mailto:ops@example.com', ...webPush.generateVAPIDKeys() });
const claimsOf = (authorization: string) =>
  JSON.parse(Buffer.from(authorization.split('.')[1] ?? '', 'base64url').toString()) as {
    readonly aud: string;
    readonly exp: number;
    readonly sub: string;
  };

test('one signature serves all endpoints of a push service, for less than half a day', () => {
  let now = Date.UTC(2026, 0, 1);
  const headersOf = createVapidHeaders(() => now);
  const own = keys();

  const first = headersOf(own, 'https://push.example/a');

  expect(claimsOf(first)).toEqual({
    aud: 'https://push.example',
    exp: now / 1000 + 12 * 3_600,
    sub: own.subject,
  });
  expect(headersOf(own, 'https://push.example/b')).toBe(first);
  now += 6 * HOUR_MS - 1;
  expect(headersOf(own, 'https://push.example/c')).toBe(first);
  now += 1;
  const second = headersOf(own, 'https://push.example/a');
  expect(second).not.toBe(first);
  expect(claimsOf(second).exp).toBe(now / 1000 + 12 * 3_600);
});

test('each push service, and each pair of keys, has a signature of its own', () => {
  const headersOf = createVapidHeaders();
  const [own, other] = [keys(), keys()];

  const made = [
    headersOf(own, 'https://push.example/a'),
    headersOf(own, 'https://other.example/a'),
    headersOf(other, 'https://push.example/a'),
    headersOf({ ...own, subject: 'mailto:new@example.com' }, 'https://push.example/a'),
  ];

  expect(new Set(made).size).toBe(4);
  expect(made.map((header) => claimsOf(header).aud)).toEqual([
    'https://push.example',
    'https://other.example',
    'https://push.example',
    'https://push.example',
  ]);
});

test.each([
  ['a subject that is none', { ...keys(), subject: 'ops' }],
  ['a private key that is none', { ...keys(), privateKey: 'AAAA' }],
])('%s is said', (_what, wrong) => {
  expect(() => createVapidHeaders()(wrong, 'https://push.example/a')).toThrow();
});
