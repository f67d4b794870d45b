import { expect, test } from '@jest/globals';
import { CHANNELS, LANES } from './channels.ts';
import { LIMITS } from './limits.ts';
import { TOPICS, TOPIC_SPECS, dispatchTopic } from './topics.ts';

test('each topic has its settings once', () => {
  const named = [
    ...Object.values(TOPICS),
    ...CHANNELS.flatMap((channel) => LANES.map((lane) => dispatchTopic(channel, lane))),
  ];

  expect(TOPIC_SPECS.map(({ topic }) => topic).toSorted()).toEqual(named.toSorted());
  expect(new Set(named).size).toBe(named.length);
});

test('a name is one that Kafka takes, and tells no two apart by . and _ alone', () => {
  const names = TOPIC_SPECS.map(({ topic }) => topic);

  expect(names.filter((name) => !/^[a-z0-9.-]{1,249}$/.test(name))).toEqual([]);
});

test('a record of the ingest topic has room for the largest body and its headers', () => {
  const ingest = TOPIC_SPECS.find((spec) => spec.topic === TOPICS.ingest);

  expect(ingest?.recordBytesMax ?? 0).toBeGreaterThan(LIMITS.ingestBodyBytesMax + 64 * 1024);
});
