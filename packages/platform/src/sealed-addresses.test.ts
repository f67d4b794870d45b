import { expect, test } from '@jest/globals';
import { createSealedAddresses } from './sealed-addresses.ts';
import { createIdSigner } from './signed-id.ts';

const key = 'a key for tests, of thirty-two characters';
const addresses = createSealedAddresses(key, 'tests');
const mail = {
  deliveryId: '01a1fda0-7f01-73ac-9ab1-82b6d3569097',
  fence: 3,
  address: 'Ada@Example.org',
};
const LONGEST = `${'a'.repeat(64)}@${'b'.repeat(185)}.org`;

test.each([mail.address, 'grüße@büro.example', LONGEST])(
  '%s comes back with its attempt, and stands in a URL as it is',
  (address) => {
    const sealed = addresses.seal({ ...mail, address });

    expect(addresses.open(sealed)).toEqual({ ...mail, address });
    expect(encodeURIComponent(sealed)).toBe(sealed);
  },
);

test('the address cannot be read, and two texts of one address have nothing in common', () => {
  const texts = [addresses.seal(mail), addresses.seal(mail)];
  const bytes = texts.map((text) =>
    Buffer.from(text.split('.')[2] ?? '', 'base64url')
      .toString('latin1')
      .toLowerCase(),
  );

  expect(bytes.some((each) => each.includes('ada') || each.includes('example'))).toBe(false);
  expect(texts[0]?.slice(28, 40)).not.toBe(texts[1]?.slice(28, 40));
});

test('an address of 254 characters, the most that there is, makes a text of 410', () => {
  expect(LONGEST).toHaveLength(254);
  expect(addresses.seal({ ...mail, address: LONGEST, fence: 1_295 }).length).toBeLessThanOrEqual(
    410,
  );
});

test.each([
  ['another attempt', (sealed: string) => sealed.replace('.3.', '.4.')],
  [
    'another address',
    (sealed: string) =>
      sealed.replace(
        /(.{30})(.)$/,
        (_, rest: string, last: string) => `${rest}${last === 'A' ? 'Q' : 'A'}`,
      ),
  ],
  ['a shorter text', (sealed: string) => sealed.slice(0, -8)],
  ['an empty seal', (sealed: string) => sealed.replace(/[^.]+$/, '')],
  ['one more part', (sealed: string) => `${sealed}.x`],
  ['no seal', () => mail.deliveryId],
  ['nothing', () => ''],
  [
    'a signature of ids alone',
    (sealed: string) => createIdSigner(key, 'tests').sign(...sealed.split('.').slice(0, 2)),
  ],
  ['another purpose', () => createSealedAddresses(key, 'other').seal(mail)],
  ['another key', () => createSealedAddresses(`${key}!`, 'tests').seal(mail)],
])('%s does not open', (_name, change) => {
  expect(addresses.open(change(addresses.seal(mail)))).toBeNull();
});

test('what the key before the last change sealed opens, and nothing is sealed by it', () => {
  const rotated = createSealedAddresses(
    ['the key of today, of thirty-two characters', key],
    'tests',
  );

  expect(rotated.open(addresses.seal(mail))).toEqual(mail);
  expect(addresses.open(rotated.seal(mail))).toBeNull();
});
