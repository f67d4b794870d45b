import { describe, expect, test } from '@jest/globals';
import { createSecretBox } from './secret-box.ts';

const KEY = 'k'.repeat(32);
const box = createSecretBox(KEY);

describe('the secret box', () => {
  test('opens what it sealed, and never seals the same text alike', () => {
    const sealed = box.seal('pässword', 'app|EMAIL');

    expect(box.open(sealed, 'app|EMAIL')).toBe('pässword');
    expect(sealed).not.toContain('ssword');
    expect(box.seal('pässword', 'app|EMAIL')).not.toBe(sealed);
    expect(box.open(box.seal('', 'c'), 'c')).toBe('');
  });

  test('a sealed text moved to another row does not open', () => {
    const sealed = box.seal('secret', 'app1|EMAIL');

    expect(() => box.open(sealed, 'app2|EMAIL')).toThrow();
    expect(() => box.open(sealed, 'app1|SMS')).toThrow();
  });

  test('another key does not open it', () => {
    expect(() => createSecretBox('x'.repeat(32)).open(box.seal('secret', 'c'), 'c')).toThrow();
  });

  test('no changed byte goes unnoticed', () => {
    const [version, encoded = ''] = box.seal('secret', 'c').split('.');
    const bytes = Buffer.from(encoded, 'base64url');

    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(() => box.open(`${version}.${changed.toString('base64url')}`, 'c')).toThrow();
    }
  });

  test.each(['', 'v1', 'v1.', 'v1.AAAA', 'v1.AAAAAAAAAAAAAAAA', 'v2.AAAA', 'plain text'])(
    '%j, which was not encrypted, does not decrypt',
    (text) => {
      expect(() => box.open(text, 'c')).toThrow();
    },
  );

  test('a key that is too short is rejected', () => {
    expect(() => createSecretBox('k'.repeat(31))).toThrow('32 characters');
  });
});

test('text of the previous key is re-encrypted with the current key; text of the current key stays', () => {
  const now = 'the key of today, of thirty-two characters';
  const rotated = createSecretBox([now, KEY]);
  const renewed = rotated.reencrypt(box.seal('secret', 'c'), 'c');

  expect(createSecretBox(now).open(String(renewed), 'c')).toBe('secret');
  expect(rotated.reencrypt(String(renewed), 'c')).toBeNull();
  expect(() => rotated.reencrypt(box.seal('secret', 'c'), 'another row')).toThrow();
  expect(() => createSecretBox(now).reencrypt(box.seal('secret', 'c'), 'c')).toThrow();
});

test('what the key before the last change sealed opens; what is sealed now is not for that key', () => {
  const now = 'the key of today, of thirty-two characters';
  const rotated = createSecretBox([now, KEY]);

  expect(rotated.open(box.seal('secret', 'c'), 'c')).toBe('secret');
  expect(rotated.open(rotated.seal('secret', 'c'), 'c')).toBe('secret');
  expect(createSecretBox(now).open(rotated.seal('secret', 'c'), 'c')).toBe('secret');
  expect(() => box.open(rotated.seal('secret', 'c'), 'c')).toThrow();
  expect(() => rotated.open(box.seal('secret', 'c'), 'another row')).toThrow();
});
