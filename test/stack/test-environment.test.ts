import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT_DIR } from '@tidings/local';
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
  none: sees(),
  kafka: `/** @needs kafka */\n${sees('broker')}`,
  redis: `/** @needs redis */\n${sees('url')}`,
  both: `/** @needs kafka redis */\n${sees('broker', 'url')}`,
};

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'tidings-needs-')));
  for (const [name, source] of Object.entries(FILES))
    writeFileSync(join(folder, `${name}.test.js`), source);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The status of each file's test. */
function runWithout(without: string): Readonly<Record<string, string>> {
  const config = {
    rootDir: folder,
    testEnvironment: join(ROOT_DIR, 'test', 'stack', 'test-environment.mjs'),
  };
  const results = join(folder, 'results.json');
  spawnSync(
    process.execPath,
    [
      join(ROOT_DIR, 'node_modules', 'jest', 'bin', 'jest.js'),
      '--config',
      JSON.stringify(config),
      '--runInBand',
      '--json',
      '--outputFile',
      results,
    ],
    {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        KAFKA_BROKERS: 'broker',
        REDIS_URL: 'url',
        TEST_WITHOUT: without,
      },
    },
  );
  const { testResults } = JSON.parse(readFileSync(results, 'utf8')) as {
    readonly testResults: readonly {
      readonly name: string;
      readonly assertionResults: readonly { readonly status: string }[];
    }[];
  };
  return Object.fromEntries(
    testResults.map(({ name, assertionResults }) => [
      name.slice(folder.length + 1, -'.test.js'.length),
      assertionResults.map(({ status }) => status).join(),
    ]),
  );
}

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
    expect(runWithout(without)).toEqual(statuses);
  },
  60_000,
);

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
