import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { HS256, inSeconds, signToken } from '../testing/sign-token.ts';
import { readUserToken } from './user-token.ts';

const SECRET = 'ut_0123456789012345678901234567890123456789';
const PREVIOUS = 'ut_9876543210987654321098765432109876543210';
const NOW_MS = 1_795_256_516_534;
const at = (seconds: number) => inSeconds(seconds, NOW_MS);
const PAYLOAD = { sub: 'ada', exp: at(3_600) };

const read = (token: string, secrets: readonly string[] = [SECRET, PREVIOUS]) =>
  readUserToken(token, { secrets, nowMs: NOW_MS });
const valid = { status: 'valid', customUserId: 'ada' };
const invalid = (why = 'The user token is invalid.') => ({ status: 'invalid', why });

/** A token with another `alg`, such as `none`, and any signature. */
const unsigned = (header: object, signature = ''): string =>
  `${[header, PAYLOAD].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.${signature}`;

describe('a user token', () => {
  test.each([
    ['of the newest secret', SECRET],
    ['of the one before', PREVIOUS],
  ])('%s names its user', async (_what, secret) => {
    expect(await read(signToken(secret, PAYLOAD))).toEqual(valid);
  });

  test('may have further claims', async () => {
    expect(
      await read(
        signToken(
          SECRET,
          { ...PAYLOAD, iss: 'shop', iat: at(-5), nbf: at(-5), role: 'admin' },
          { header: { alg: 'HS256' } },
        ),
      ),
    ).toEqual(valid);
  });

  test.each(['a/b', 'a b', '👩‍👩‍👧', '__proto__', 'x'.repeat(256)])(
    'accepts every kind of customUserId: %j',
    async (sub) => {
      expect(await read(signToken(SECRET, { ...PAYLOAD, sub }))).toEqual({
        status: 'valid',
        customUserId: sub,
      });
    },
  );

  test('is valid a minute longer, because clocks differ', async () => {
    expect([
      await read(signToken(SECRET, { ...PAYLOAD, exp: at(-59) })),
      await read(signToken(SECRET, { ...PAYLOAD, exp: at(86_400 + 59) })),
    ]).toEqual([valid, valid]);
  });
});

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const byRsa = (): string => {
  const signed = unsigned({ alg: 'RS256' }).slice(0, -1);
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
};
const good = signToken(SECRET, PAYLOAD);
const [head = '', body = '', signature = ''] = good.split('.');

describe('an invalid user token is rejected without details', () => {
  test.each<[string, string]>([
    ['of another secret', signToken('ut_another', PAYLOAD)],
    ['of the empty secret', signToken('', PAYLOAD)],
    ['by no algorithm', unsigned({ alg: 'none' })],
    ['by no algorithm, in other letters', unsigned({ alg: 'nOnE' })],
    ['by no algorithm, with the signature of another', unsigned({ alg: 'none' }, signature)],
    ['without an algorithm', signToken(SECRET, PAYLOAD, { header: { typ: 'JWT' } })],
    ['by HS512', signToken(SECRET, PAYLOAD, { header: { alg: 'HS512' }, hash: 'sha512' })],
    [
      'by HS384 with a signature of HS256',
      signToken(SECRET, PAYLOAD, { header: { alg: 'HS384' } }),
    ],
    ['by RSA', byRsa()],
    ['by HS256 with a public key for a secret', signToken(publicPem, PAYLOAD)],
    [
      'with a key of its own',
      signToken('mine', PAYLOAD, {
        header: { ...HS256, jwk: { kty: 'oct', k: 'bWluZQ' }, kid: '../../dev/null' },
      }),
    ],
    [
      'with an unknown critical header',
      signToken(SECRET, PAYLOAD, { header: { ...HS256, crit: ['exp2'], exp2: 1 } }),
    ],
    ['without its signature', `${head}.${body}.`],
    ['with two parts', `${head}.${body}`],
    [
      'with a changed body',
      `${head}.${Buffer.from(JSON.stringify({ ...PAYLOAD, sub: 'eve' })).toString('base64url')}.${signature}`,
    ],
    [
      'with a changed signature',
      `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
    ],
    ['that is no token', 'x'],
    ['that is five parts', 'a.b.c.d.e'],
    ['that is only points', '..'],
    ['whose body is no JSON', signToken(SECRET, '{')],
    ['whose body is an array', signToken(SECRET, [PAYLOAD])],
    ['that is not valid yet', signToken(SECRET, { ...PAYLOAD, nbf: at(3_600) })],
    ['whose end is no number', signToken(SECRET, { ...PAYLOAD, exp: String(at(3_600)) })],
  ])('%s', async (_what, token) => {
    expect(await read(token)).toEqual(invalid());
  });

  test('when the application has no secret', async () => {
    expect(await read(good, [])).toEqual(invalid());
  });
});

describe('a correctly signed user token is rejected with a reason', () => {
  test.each<[string, object, string]>([
    ['ended', { sub: 'ada', exp: at(-61) }, 'The user token has expired.'],
    ['has no expiry', { sub: 'ada' }, 'The user token has no exp claim.'],
    [
      'ends more than 24 h ahead',
      { sub: 'ada', exp: at(86_400 + 120) },
      'The exp claim of the user token is more than 24 h ahead.',
    ],
    [
      'ends never',
      { sub: 'ada', exp: 1e300 },
      'The exp claim of the user token is more than 24 h ahead.',
    ],
    [
      'has no subject',
      { exp: at(60) },
      'The sub claim of the user token is not a valid customUserId.',
    ],
    [
      'names the empty id',
      { sub: '', exp: at(60) },
      'The sub claim of the user token is not a valid customUserId.',
    ],
    [
      'names an id that is too long',
      { sub: 'x'.repeat(257), exp: at(60) },
      'The sub claim of the user token is not a valid customUserId.',
    ],
    [
      'names an id with U+0000',
      { sub: 'a\0b', exp: at(60) },
      'The sub claim of the user token is not a valid customUserId.',
    ],
    [
      'names half a character',
      { sub: 'a\ud800', exp: at(60) },
      'The sub claim of the user token is not a valid customUserId.',
    ],
  ])('%s', async (_what, payload, why) => {
    expect(await read(signToken(SECRET, payload))).toEqual(invalid(why));
  });
});

test('an error never contains the token', async () => {
  const canary = 'canaryCANARY';

  expect(JSON.stringify(await read(`${head}.${canary}.${signature}`))).not.toContain(canary);
});
