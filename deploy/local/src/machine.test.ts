import { describe, expect, test } from '@jest/globals';
import { findMissing, type MachineFacts } from '../bootstrap.mjs';

const VERSIONS: Readonly<Record<string, string>> = {
  java: 'openjdk version "17.0.15" 2025-04-15',
  mvn: 'Apache Maven 3.8.7',
  'redis-server': 'Redis server v=7.0.0',
};

function missingWith(
  changes: Partial<MachineFacts> & { readonly programs?: Readonly<Record<string, string>> },
): readonly string[] {
  const { programs = VERSIONS, ...facts } = changes;
  return findMissing({
    hasKafka: true,
    env: {},
    nodeVersion: '20.1.0',
    versionOf: (command) => programs[command] || undefined,
    isFetched: () => false,
    ...facts,
  });
}

describe('what a machine lacks', () => {
  test('nothing on a complete machine', () => {
    expect(missingWith({})).toEqual([]);
  });

  test.each([
    [
      'an old Node',
      missingWith({ nodeVersion: '18.20.1' }),
      /^Node 20 or newer is needed, but this is 18\.20\.1/,
    ],
    ['no Java', missingWith({ programs: { ...VERSIONS, java: '' } }), /^Java/],
    [
      'an old Java',
      missingWith({ programs: { ...VERSIONS, java: 'java version "1.8.0_402"' } }),
      /^Kafka needs Java 17 or newer, but this is 8:/,
    ],
    [
      'no Maven',
      missingWith({ programs: { java: 'openjdk version "21"', 'redis-server': 'v=7' } }),
      /^Maven \(needed to download Kafka\)/,
    ],
    [
      'neither Redis nor Maven',
      missingWith({ env: { KAFKA_BROKERS: 'k:9092' }, programs: {} }),
      /^Neither Redis nor Maven/,
    ],
  ])('%s: one sentence with the remedy', (_what, missing, sentence) => {
    expect(missing).toEqual([expect.stringMatching(sentence)]);
  });

  test('Java and Maven are not needed with an external Kafka and Redis', () => {
    expect(
      missingWith({ env: { KAFKA_BROKERS: 'k:9092', REDIS_URL: 'redis://r' }, programs: {} }),
    ).toEqual([]);
  });

  test('Maven is not needed once everything is downloaded', () => {
    expect(
      missingWith({ programs: { java: 'openjdk version "17"' }, isFetched: () => true }),
    ).toEqual([]);
  });

  test('only Node is needed if nothing is started', () => {
    expect(missingWith({ hasKafka: false, programs: {} })).toEqual([]);
  });
});
