import { describe, expect, test } from '@jest/globals';
import { ingestRecordHeaders } from '@tidings/contracts/ingest/records';
import { parseIngestRecord } from './parse-record.ts';

const APPLICATION = '0192f0c4-0000-7000-8000-00000000000a';
const REQUEST = '0192f0c4-0000-7000-8000-00000000000b';
const NOW = 1_700_000_000_000;
const DAY_MS = 86_400_000;
const headers = ingestRecordHeaders({
  applicationId: APPLICATION,
  requestId: REQUEST,
  receivedAt: 1_700_000_000_000,
  keyType: 'server',
  kinds: ['action'],
});
const message = '{"type":"action","id":"m1","time":1,"customName":"viewed"}';

const parse = (text: string, more: Record<string, string> = {}) =>
  parseIngestRecord({ headers: { ...headers, ...more }, value: Buffer.from(text) }, NOW);

describe('a record of the gateway', () => {
  test('is read with the metadata of its headers and the messages of its bytes', () => {
    expect(parse(`{"customUserId":"ada","messages":[${message}],"unknown":1}`)).toEqual({
      requestId: REQUEST,
      applicationId: APPLICATION,
      receivedAt: 1_700_000_000_000,
      keyType: 'server',
      customUserId: 'ada',
      serviceUserId: null,
      messages: [{ type: 'action', id: 'm1', time: 1, customName: 'viewed' }],
    });
  });

  test('has its UUIDs in lower case and its customUserId unchanged', () => {
    const record = parse(
      `{"customUserId":"Ada","serviceUserId":"${REQUEST.toUpperCase()}","messages":[${message}]}`,
      {
        'application-id': APPLICATION.toUpperCase(),
        'request-id': REQUEST.toUpperCase(),
      },
    );

    expect(record).toMatchObject({
      applicationId: APPLICATION,
      requestId: REQUEST,
      serviceUserId: REQUEST,
      customUserId: 'Ada',
    });
  });

  test.each([1, NOW - 1000 * DAY_MS, NOW + DAY_MS])(
    'may have been accepted at %s',
    (receivedAt) => {
      expect(
        parse(`{"customUserId":"ada","messages":[${message}]}`, {
          'received-at': String(receivedAt),
        }),
      ).toMatchObject({ receivedAt });
    },
  );

  test.each([
    ['server', 'server'],
    ['client', 'client'],
    ['Server', 'client'],
    ['', 'client'],
  ])('sent with a key of type %j has the rights of a %s key', (written, keyType) => {
    expect(
      parse(`{"customUserId":"ada","messages":[${message}]}`, { 'key-type': written }),
    ).toMatchObject({ keyType });
  });

  test('keeps every digit of its integers', () => {
    const record = parse(
      `{"customUserId":"ada","messages":[{"type":"action","id":"m1","time":9007199254740993,"customName":"v","attributes":{"n":9223372036854775807}}]}`,
    );

    expect(record.messages).toMatchObject([
      { time: 9007199254740993n, attributes: { n: 9223372036854775807n } },
    ]);
  });
});

describe('a record of a partially accepted request', () => {
  const two = `{"customUserId":"ada","messages":[${message},${message.replace('m1', 'm2')}]}`;

  test('has the indexes of its messages in the request', () => {
    expect(parse(two, { indexes: '1,4' }).messageIndexes).toEqual([1, 4]);
  });

  test.each(['1', '1,4,5', '4,1', 'x,y', ''])(
    'is rejected with impossible indexes: %s',
    (indexes) => {
      expect(() => parse(two, { indexes })).toThrow('invalid message indexes');
    },
  );
});

describe('a record that does not come from the gateway is rejected', () => {
  test.each([
    ['without a request id', { 'request-id': '' }],
    ['with an application id that is no UUID', { 'application-id': 'x' }],
    ['without an acceptance time', { 'received-at': 'soon' }],
    ['with an empty time of its acceptance', { 'received-at': '' }],
    ['accepted before there was a gateway', { 'received-at': '-1' }],
    ['accepted more than a day ahead', { 'received-at': String(NOW + DAY_MS + 1) }],
  ])('%s', (_, more) => {
    expect(() => parse(`{"customUserId":"ada","messages":[${message}]}`, more)).toThrow(
      'without the headers',
    );
  });

  test.each([
    ['that is not JSON', '\u0000\u0001'],
    ['that is truncated', '{"customUserId":"ada","messages":[{'],
    ['that is null', 'null'],
    ['without messages', '{"customUserId":"ada"}'],
    ['with a message that is null', '{"customUserId":"ada","messages":[null]}'],
    [
      'with a message of no known type',
      '{"customUserId":"ada","messages":[{"type":"click","id":"m1","time":1}]}',
    ],
    [
      'with a time that is no integer',
      '{"customUserId":"ada","messages":[{"type":"action","id":"m1","time":1.5,"customName":"v"}]}',
    ],
    [
      'with an id that is no text',
      '{"customUserId":"ada","messages":[{"type":"action","id":7,"time":1,"customName":"v"}]}',
    ],
    [
      'with a name that is no text',
      '{"customUserId":"ada","messages":[{"type":"action","id":"m1","time":1,"customName":7}]}',
    ],
    [
      'with custom attributes that are no object',
      '{"customUserId":"ada","messages":[{"type":"user","id":"m1","time":1,"customAttributes":"x"}]}',
    ],
    ['with a customUserId that is no text', `{"customUserId":7,"messages":[${message}]}`],
    ['without a user', `{"messages":[${message}]}`],
  ])('%s', (_, text) => {
    expect(() => parse(text)).toThrow();
  });
});
