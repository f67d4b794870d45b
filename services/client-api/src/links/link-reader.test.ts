import { describe, expect, test } from '@jest/globals';
import { LINK_PURPOSES } from '@tidings/contracts/push/links';
import { attemptParts, createIdSigner } from '@tidings/platform';
import { ENCRYPTION_KEY } from '../testing/test-client-api.ts';
import { createLinkReader } from './link-reader.ts';

const ATTEMPT = { deliveryId: '0198f0a2-7c1e-7d3a-8b4f-1234567890ab', fence: 1 };
const TOKEN = createIdSigner(ENCRYPTION_KEY, LINK_PURPOSES.open).sign(...attemptParts(ATTEMPT));
const { open } = createLinkReader(ENCRYPTION_KEY);

describe('behind the token of a link', () => {
  test.each(['', '.', '>,', '.)"', '........'])('punctuation does not matter: %j', (text) => {
    expect(open(TOKEN + text)).toEqual(ATTEMPT);
  });

  test('more than a program adds is not looked for, in any length', () => {
    expect(open(`${TOKEN}${'.'.repeat(9)}`)).toBe(null);
    expect(open(`${'.'.repeat(15_000)}a`)).toBe(null);
  });

  test('it is not read out of a short text', () => {
    expect(open('')).toBe(null);
    expect(open('.')).toBe(null);
    expect(open('a.')).toBe(null);
  });
});
