import { expect, test } from '@jest/globals';
import { ingestRecordHeaders, ingestRecordKinds } from './records.ts';

const headers = ingestRecordHeaders({
  applicationId: 'app',
  requestId: 'req',
  receivedAt: 1_700_000_000_000,
  keyType: 'client',
  kinds: ['action', 'user'],
});

test('a record carries its facts as texts', () => {
  expect(headers).toEqual({
    'application-id': 'app',
    'request-id': 'req',
    'received-at': '1700000000000',
    'key-type': 'client',
    kinds: 'action,user',
  });
});

test('the kinds of its messages are read without its value', () => {
  expect(ingestRecordKinds(headers)).toEqual(['action', 'user']);
  expect(ingestRecordKinds({ kinds: '' })).toEqual([]);
  expect(ingestRecordKinds({})).toEqual([]);
});
