import { expect, test } from '@jest/globals';
import { RejectedBatchError } from './rejected-batch.ts';

const UUID = '0199a5c0-0000-7000-8000-0000000000aa';
const ofCustomer = (customUserId: string) => ({ customUserId, serviceUserId: null });
const NOBODY = { customUserId: null, serviceUserId: null };

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
  ['one character too many', { customUserId: 'a'.repeat(257) }, NOBODY],
  ['an empty customUserId', { customUserId: '' }, NOBODY],
  [
    'a customUserId that is none, whatever the serviceUserId',
    { customUserId: 5, serviceUserId: UUID },
    NOBODY,
  ],
  ['U+0000', { customUserId: 'a\0b' }, NOBODY],
  ['half a surrogate', { customUserId: 'a\ud800' }, NOBODY],
  ['an object', { customUserId: { toString: 'ada' } }, NOBODY],
  ['a malformed serviceUserId', { serviceUserId: 'a phone' }, NOBODY],
  ['a serviceUserId of another type', { serviceUserId: [UUID] }, NOBODY],
  ['no ids', { messages: [] }, NOBODY],
  ['an array', [{ customUserId: 'ada' }], NOBODY],
  ['a text', 'ada', NOBODY],
  ['null', null, NOBODY],
])('%s names a user, or nobody', (_what, envelope, user) => {
  expect(new RejectedBatchError('validation_failed', 'No.', { envelope }).user).toEqual(user);
});
