import { describe, expect, test } from '@jest/globals';
import { ADDRESS_OF, isMailbox } from './addresses.ts';

const chars = (count: number) => 'a'.repeat(count);

describe('isMailbox', () => {
  test.each([
    'a@b.com',
    'first.last+tag@sub.example.co.uk',
    "o'hara@example.com",
    '!#$%&*+/=?^_`{|}~-@example.com',
    'user@localhost',
    'ü@münchen.example',
    '用户@例子.公司',
    'a@xn--mnchen-3ya.example',
    'A..B.@docomo.example',
    `${chars(64)}@example.com`,
    `a@${'b'.repeat(248)}.com`,
  ])('%s is one mailbox', (text) => {
    expect(isMailbox(text)).toBe(true);
  });

  test.each([
    ['', 'nothing'],
    ['a', 'no @'],
    ['@b.com', 'no local part'],
    ['a@', 'no host'],
    ['a@@b.com', 'two @'],
    ['a@b@c.com', 'two hosts'],
    ['a@.com', 'an empty label'],
    ['a@b..com', 'an empty label in the middle'],
    ['a@b.com.', 'an empty label at the end'],
    ['a@b.com, evil@x.com', 'a list'],
    ['a@b.com,evil@x.com', 'a list without a space'],
    ['a@b.com;evil@x.com', 'a list with a semicolon'],
    ['a@b.com evil@x.com', 'two with a space'],
    ['a@b.com\r\nBcc: e@x.com', 'a header'],
    ['a@b.com\nBcc:e@x.com', 'a header after a line feed'],
    ['a@b.com\r', 'a line break at the end'],
    ['a@b.com\n', 'a line feed at the end'],
    ['a\0@b.com', 'NUL'],
    ['a\x08@b.com', 'a control'],
    ['a@b.com\x7f', 'DEL'],
    ['a\u202e@b.com', 'a right-to-left override'],
    ['a\u200b@b.com', 'an invisible space'],
    ['a\ud800@b.com', 'half a character'],
    ['a\u2028@b.com', 'a line separator'],
    [' a@b.com', 'a space before'],
    ['a @b.com', 'a space inside'],
    ['"a b"@b.com', 'a quoted local part'],
    ['"a@evil.com"@b.com', 'a quoted address'],
    ['Ann <a@b.com>', 'a display name'],
    ['<a@b.com>', 'angle brackets'],
    ['a(comment)@b.com', 'a comment'],
    ['group:a@b.com;', 'a group'],
    ['a\\@b.com', 'a backslash'],
    ['a@[127.0.0.1]', 'an address literal'],
    ['a@b.com/x', 'a path'],
    ['mailto:a@b.com', 'a scheme'],
    [`${chars(65)}@b.com`, 'a local part of 65 characters'],
    [`a@${'b'.repeat(249)}.com`, '255 characters'],
  ])('%j is not one mailbox: %s', (text) => {
    expect(isMailbox(text)).toBe(false);
  });

  test('a hostile text is judged as fast as any other', () => {
    const startedAt = performance.now();

    for (let count = 0; count < 1_000; count += 1) isMailbox(`a@${'b.'.repeat(126)}!`);

    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});

describe('the address of a channel', () => {
  test.each([
    ['EMAIL', { email: 'a@b.com' }, { address: 'a@b.com' }],
    ['EMAIL', { email: ' \t\u00a0a@b.com\r\n' }, { address: 'a@b.com' }],
    ['EMAIL', { email: 'a@b.com\nBcc: e@x.com' }, { reason: 'invalid_address' }],
    ['EMAIL', { email: ' ' }, { reason: 'invalid_address' }],
    ['EMAIL', { email: 'a@b.com, evil@x.com' }, { reason: 'invalid_address' }],
    ['EMAIL', {}, { reason: 'no_address' }],
    ['EMAIL', { email: '' }, { reason: 'no_address' }],
    ['EMAIL', { email: { path: '/etc/passwd' } }, { reason: 'no_address' }],
    ['EMAIL', { hashedEmail: 'abc' }, { reason: 'hashed_only' }],
    ['SMS', { phoneNumber: '0491 234567', phoneE164: '+49491234567' }, { address: '+49491234567' }],
    ['SMS', { phoneNumber: '+4912345' }, { reason: 'invalid_address' }],
    ['SMS', { phoneE164: '+49491234567' }, { reason: 'no_address' }],
    ['SMS', { hashedPhoneNumber: 'abc' }, { reason: 'hashed_only' }],
    ['WEB_PUSH', { email: 'a@b.com' }, { reason: 'no_subscription' }],
    ['WEB_PUSH', { deviceKinds: ['web_push'] }, { address: '' }],
    ['WEB_PUSH', { deviceKinds: ['fcm'] }, { reason: 'no_subscription' }],
    ['APP_PUSH', { deviceKinds: ['web_push', 'fcm'] }, { address: '' }],
    ['APP_PUSH', {}, { reason: 'no_subscription' }],
    ['IN_APP', {}, { address: '' }],
    ['ON_SITE', {}, { address: '' }],
    ['WEB_HOOK', {}, { address: '' }],
  ] as const)('%s for %j', (channel, profile, expected) => {
    expect(ADDRESS_OF[channel](profile)).toEqual(expected);
  });
});
