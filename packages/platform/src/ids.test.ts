import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { validate, version } from 'uuid';
import { fromBase36, toBase36 } from './base36.ts';
import { isUuid, randomBase62, systemIds } from './ids.ts';
import { parseAttempt, attemptParts, parseLink, linkParts } from './signed-attempts.ts';
import { createIdSigner } from './signed-id.ts';
import { createUuids } from './uuids.ts';

afterEach(() => void jest.restoreAllMocks());

test('an id is a UUID that begins with the time of its making, so that ids sort by it', () => {
  const before = Date.now();
  const id = systemIds.uuid();
  const madeAt = Number.parseInt(id.replace('-', '').slice(0, 12), 16);

  expect(isUuid(id)).toBe(true);
  expect(madeAt).toBeGreaterThanOrEqual(before);
  expect(madeAt).toBeLessThanOrEqual(Date.now());
});

test('200,000 ids are distinct, and sort by the order of their making', () => {
  const ids = Array.from({ length: 200_000 }, () => systemIds.uuid());

  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.findIndex((id, index) => index > 0 && id <= (ids[index - 1] ?? ''))).toBe(-1);
});

test('ids are UUIDs of version 7, also by the uuid package', () => {
  const ids = Array.from({ length: 10_000 }, () => systemIds.uuid());

  expect(ids.filter((id) => !validate(id) || version(id) !== 7)).toEqual([]);
});

test('an id holds the time, the counter and random bytes', () => {
  jest.spyOn(Date, 'now').mockReturnValue(0x0123_4567_89ab);
  const uuid = createUuids((page) => page.fill(Buffer.from('03abcdef0011223344557f', 'hex')));

  // The counter begins with the last 26 bits of the first four bytes, and the tail follows them.
  expect(uuid()).toBe('01234567-89ab-7eaf-8def-001122334455');
  expect(uuid()).toMatch(/^01234567-89ab-7eaf-8df0-7f03abcdef00$/);
});

test('ids of one millisecond differ also in their random bytes, over many pages', () => {
  jest.spyOn(Date, 'now').mockReturnValue(1);
  const uuid = createUuids();
  const tails = Array.from({ length: 5_000 }, () => uuid().slice(-12));

  expect(new Set(tails).size).toBe(tails.length);
});

test('when the counter of a millisecond is at its end, ids take the next millisecond', () => {
  jest.spyOn(Date, 'now').mockReturnValue(0xff);
  const uuid = createUuids((page) => page.fill(0xff));

  expect([uuid(), uuid(), uuid()].map((id) => id.slice(0, 23))).toEqual([
    '00000000-00ff-7fff-bfff',
    '00000000-0100-7fff-bfff',
    '00000000-0101-7fff-bfff',
  ]);
});

test('ids stay in order when the clock is set back', () => {
  const before = systemIds.uuid();
  jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
  const after = Array.from({ length: 10 }, () => systemIds.uuid());

  expect([before, ...after].sort()).toEqual([before, ...after]);
});

test.each([
  ['018f9c3e-7b1a-7c9e-8f00-0123456789ab', true],
  ['018F9C3E-7B1A-7C9E-8F00-0123456789AB', true],
  ['00000000-0000-0000-0000-000000000000', true],
  ['{018f9c3e-7b1a-7c9e-8f00-0123456789ab}', false],
  ['018f9c3e7b1a7c9e8f000123456789ab', false],
  ['018f9c3e-7b1a-7c9e-8f00-0123456789ab\n', false],
  ['', false],
])('%j is a UUID: %s', (text, expected) => {
  expect(isUuid(text)).toBe(expected);
});

test('random texts have their length and use every character', () => {
  const text = randomBase62(10_000);

  expect(text).toMatch(/^[0-9A-Za-z]{10000}$/);
  expect(new Set(text).size).toBe(62);
});

describe('base36', () => {
  test.each([
    '00000000000000000000000000000000',
    'ffffffffffffffffffffffffffffffff',
    '01a1fda07f0173ac9ab182b6d3569097',
  ])('%s comes back as it was, in 25 characters', (hex) => {
    const text = toBase36(Buffer.from(hex, 'hex'));

    expect(text).toMatch(/^[0-9a-z]{25}$/);
    expect(fromBase36(text, 16)?.toString('hex')).toBe(hex);
    expect(fromBase36(text.toUpperCase(), 16)?.toString('hex')).toBe(hex);
  });

  test.each([
    ['too short', '0'.repeat(24)],
    ['too long', '0'.repeat(26)],
    ['another character', `${'0'.repeat(24)}-`],
    ['a letter that only looks like one', `${'0'.repeat(24)}\u212A`],
    ['more than 16 bytes', 'z'.repeat(25)],
    ['nothing', ''],
  ])('%s is null', (_name, text) => {
    expect(fromBase36(text, 16)).toBeNull();
  });
});

describe('signed-id', () => {
  const key = 'a key for tests, of thirty-two characters';
  const signer = createIdSigner(key, 'tests');

  test('signed ids verify and need no URL encoding', () => {
    const signed = signer.sign('01a1fda0-7f01-73ac-9ab1-82b6d3569097', '3');

    expect(signer.open(signed)).toEqual(['01a1fda0-7f01-73ac-9ab1-82b6d3569097', '3']);
    expect(encodeURIComponent(signed)).toBe(signed);
  });

  test.each([
    ['another part', (signed: string) => signed.replace('.3.', '.4.')],
    [
      'another signature',
      (signed: string) => `${signed.slice(0, -1)}${signed.endsWith('A') ? 'Q' : 'A'}`,
    ],
    ['a shorter signature', (signed: string) => signed.slice(0, -2)],
    ['no signature', () => 'id.3'],
    ['nothing', () => ''],
    ['another purpose', () => createIdSigner(key, 'other').sign('id', '3')],
    ['another key', () => createIdSigner(`${key}!`, 'tests').sign('id', '3')],
  ])('%s does not open', (_name, change) => {
    expect(signer.open(change(signer.sign('id', '3')))).toBeNull();
  });

  test('what the key before the last change signed opens, and nothing is signed by it', () => {
    const rotated = createIdSigner(['the key of today, of thirty-two characters', key], 'tests');

    expect(rotated.open(signer.sign('id', '3'))).toEqual(['id', '3']);
    expect(rotated.open(rotated.sign('id', '3'))).toEqual(['id', '3']);
    expect(signer.open(rotated.sign('id', '3'))).toBeNull();
  });
});

describe('signed-attempts', () => {
  const deliveryId = '01a1fda0-7f01-73ac-9ab1-82b6d3569097';

  test.each([
    [deliveryId, 1],
    ['00000000-0000-0000-0000-000000000000', 0],
    ['ffffffff-ffff-ffff-ffff-ffffffffffff', 2_147_483_647],
  ])('attempt %s %i comes back as it was', (id, fence) => {
    expect(parseAttempt(attemptParts({ deliveryId: id, fence }))).toEqual({
      deliveryId: id,
      fence,
    });
  });

  test('an attempt is short, and in small letters and digits', () => {
    expect(attemptParts({ deliveryId, fence: 35 }).join('.')).toMatch(/^[0-9a-z]{25}\.z$/);
  });

  test.each([
    [null],
    [[]],
    [['x', '1']],
    [['z'.repeat(25), '1']],
    [[attemptParts({ deliveryId, fence: 1 })[0], '']],
    [[attemptParts({ deliveryId, fence: 1 })[0], '1'.repeat(7)]],
  ])('%j is no attempt', (parts) => {
    expect(parseAttempt(parts)).toBeNull();
  });

  test('a link returns its address', () => {
    const link = {
      deliveryId,
      fence: 2,
      linkCount: 40,
      url: 'https://shop.example/größe?a=1&b=é#part',
    };

    expect(parseLink(linkParts(link))).toEqual(link);
  });
});
