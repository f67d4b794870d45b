import { describe, expect, test } from '@jest/globals';
import { CHANNELS, LANES } from '../channels/channels.ts';
import { LIMITS } from '../limits.ts';
import { ingestRecordHeaders, ingestRecordIndexes, ingestRecordKinds } from './records.ts';
import { dispatchTopic, LOG_TOPIC_SPECS, TOPIC_SPECS, TOPICS } from '../topics.ts';

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

test('a record of all messages has no indexes; a partial one has the index of each message', () => {
  const indexes = [0, 7, 999];
  const partial = ingestRecordHeaders({
    applicationId: 'app',
    requestId: 'req',
    receivedAt: 1,
    keyType: 'client',
    kinds: ['action'],
    messageIndexes: indexes,
  });

  expect(ingestRecordIndexes(headers, 3)).toBeUndefined();
  expect(partial).toMatchObject({ indexes: '0,7,999' });
  expect(ingestRecordIndexes(partial, 3)).toEqual(indexes);
});

test.each([
  ['of another number of messages', '0,1'],
  ['empty', ''],
  ['that do not rise', '0,2,1'],
  ['that repeat', '0,1,1'],
  ['that are no integers', '0,1,2.5'],
  ['that are negative', '-1,0,1'],
  ['beyond what a request may have', '0,1,1000'],
  ['with spaces', '0, 1, 2'],
  ['with leading zeros', '0,01,2'],
])('places %s are none a gateway wrote', (_, written) => {
  expect(ingestRecordIndexes({ indexes: written }, 3)).toBeNull();
});

describe('topics', () => {
  test('each topic has its settings once', () => {
    const named = [
      ...Object.values(TOPICS),
      ...CHANNELS.flatMap((channel) => LANES.map((lane) => dispatchTopic(channel, lane))),
    ];

    expect([...TOPIC_SPECS, ...LOG_TOPIC_SPECS].map(({ topic }) => topic).toSorted()).toEqual(
      named.toSorted(),
    );
    expect(new Set(named).size).toBe(named.length);
  });

  test('a name is valid in Kafka, and no two differ only by . and _', () => {
    const names = TOPIC_SPECS.map(({ topic }) => topic);

    expect(names.filter((name) => !/^[a-z0-9.-]{1,249}$/.test(name))).toEqual([]);
  });

  test('a record of the ingest topic fits the largest body and its headers', () => {
    const ingest = TOPIC_SPECS.find((spec) => spec.topic === TOPICS.ingest);

    expect(ingest?.recordBytesMax ?? 0).toBeGreaterThan(LIMITS.ingestBodyBytesMax + 64 * 1024);
  });
});
