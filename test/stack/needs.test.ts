import { describe, expect, test } from '@jest/globals';
import { runJestOn, type MODULES } from './jest-in-folder.ts';
import { needsOf } from './needs.mjs';

/** Its hooks fail where a need is not met; its test passes where it gets these addresses alone. */
const sees = (...addresses: readonly string[]): string => `
  const check = () => {
    const { TEST_WITHOUT, TEST_NEEDS } = process.env;
    if (TEST_WITHOUT.split(' ').some((need) => need && TEST_NEEDS.includes(need)))
      throw new Error('a hook ran');
  };
  beforeAll(check);
  describe('a block', () => {
    beforeAll(check);
    test('sees', () => {
      const { KAFKA_BROKERS, REDIS_URL } = process.env;
      expect([KAFKA_BROKERS, REDIS_URL].filter(Boolean)).toEqual(${JSON.stringify(addresses)});
    });
    afterAll(check);
  });
  afterAll(check);`;
const FILES = {
  'none.test.js': sees(),
  'kafka.test.js': `/** @needs kafka */\n${sees('broker')}`,
  'redis.test.js': `/** @needs redis */\n${sees('url')}`,
  'both.test.js': `/** @needs kafka redis */\n${sees('broker', 'url')}`,
};

/** The status of each file's test. */
const runWithout = (modules: keyof typeof MODULES, without: string) =>
  runJestOn(FILES, {
    modules,
    env: { KAFKA_BROKERS: 'broker', REDIS_URL: 'url', TEST_WITHOUT: without },
  }).statuses;

describe.each(['isolated', 'shared'] as const)('with %s modules', (modules) => {
  test.each([
    ['nothing', '', { none: 'passed', kafka: 'passed', redis: 'passed', both: 'passed' }],
    ['Kafka', 'kafka', { none: 'passed', kafka: 'pending', redis: 'passed', both: 'pending' }],
    [
      'Kafka and Redis',
      'kafka redis',
      { none: 'passed', kafka: 'pending', redis: 'pending', both: 'pending' },
    ],
  ])(
    'without %s: files that need it are skipped with their hooks; the others get the addresses that they name',
    (_, without, statuses) => {
      const expected = Object.entries(statuses).map(([name, status]) => [`${name}: sees`, status]);

      expect(runWithout(modules, without)).toEqual(Object.fromEntries(expected));
    },
    60_000,
  );
});

test.each([
  ['/** @needs kafka */\nimport', ['kafka']],
  ['/** @needs kafka redis */', ['kafka', 'redis']],
  ['/**\n * A reason.\n * @needs redis\n */', ['redis']],
  ['import x;\n/** @needs kafka */', []],
  ['', []],
])('the needs of %j are %j', (source, needs) => {
  expect(needsOf(source)).toEqual(needs);
});

test('an unknown need is an error', () => {
  expect(() => needsOf('/** @needs kafak */')).toThrow('@needs kafak');
});
