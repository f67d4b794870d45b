import { expect, test } from '@jest/globals';
import { RejectedBatchError } from './rejected-batch.ts';

const UUID = '0199a5c0-0000-7000-8000-0000000000aa';
const ofCustomer = (customUserId: string) => ({ customUserId, serviceUserId: null });
const NO_USER = { customUserId: null, serviceUserId: null };

test.each<[string, unknown, object]>([
  ['a customUserId', { customUserId: 'ada' }, ofCustomer('ada')],
  ['the longest there may be', { customUserId: 'ü'.repeat(256) }, ofCustomer('ü'.repeat(256))],
  [
    'the longest of characters that take two units',
    { customUserId: '😀'.repeat(256) },
    ofCustomer('😀'.repeat(256)),
  ],
  [
    'a customUserId before a serviceUserId',
    { customUserId: 'ada', serviceUserId: UUID },
    ofCustomer('ada'),
  ],
  [
    'a serviceUserId where there is no customUserId',
    { serviceUserId: UUID },
    { customUserId: null, serviceUserId: UUID },
  ],
  [
    'a serviceUserId in capitals, beside null',
    { customUserId: null, serviceUserId: UUID.toUpperCase() },
    { customUserId: null, serviceUserId: UUID },
  ],
  ['one character too many', { customUserId: 'a'.repeat(257) }, NO_USER],
  ['an empty customUserId', { customUserId: '' }, NO_USER],
  [
    'an invalid customUserId, with a valid serviceUserId',
    { customUserId: 5, serviceUserId: UUID },
    NO_USER,
  ],
  ['U+0000', { customUserId: 'a\0b' }, NO_USER],
  ['half a surrogate', { customUserId: 'a\ud800' }, NO_USER],
  ['an object', { customUserId: { toString: 'ada' } }, NO_USER],
  ['a malformed serviceUserId', { serviceUserId: 'a phone' }, NO_USER],
  ['a serviceUserId of another type', { serviceUserId: [UUID] }, NO_USER],
  ['no ids', { messages: [] }, NO_USER],
  ['an array', [{ customUserId: 'ada' }], NO_USER],
  ['a text', 'ada', NO_USER],
  ['null', null, NO_USER],
])('%s names a user, or none', (_what, envelope, user) => {
  expect(new RejectedBatchError('validation_failed', 'No.', { envelope }).user).toEqual(user);
});
