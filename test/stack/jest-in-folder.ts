import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT_DIR } from '@tidings/local';

const STACK = join(ROOT_DIR, 'test', 'stack');
const SHARED = join(STACK, 'shared-modules');

/** How test files get their modules: each file its own, or all files of a worker the same. */
export const MODULES = {
  isolated: { testEnvironment: join(STACK, 'test-environment.mjs') },
  shared: {
    testEnvironment: join(SHARED, 'environment.mjs'),
    runtime: join(SHARED, 'runtime.mjs'),
  },
} as const;

export type JestRun = {
  /** `passed`, `failed` or `pending` of each test, by `FILE: TITLE`. */
  readonly statuses: Readonly<Record<string, string>>;
  /** Messages of failed tests and files. */
  readonly failures: string;
  /** What jest printed. */
  readonly printed: string;
};

/** Runs jest in a process of its own on these files, in one worker. */
export function runJestOn(
  files: Readonly<Record<string, string>>,
  {
    modules,
    sequencer = 'by-name',
    env = {},
    testTimeoutMs = 5_000,
  }: {
    readonly modules: keyof typeof MODULES;
    readonly sequencer?: 'by-name' | 'file-order';
    readonly env?: Readonly<Record<string, string>>;
    readonly testTimeoutMs?: number;
  },
): JestRun {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tidings-jest-')));
  try {
    for (const [name, source] of Object.entries(files)) writeFileSync(join(folder, name), source);
    writeFileSync(join(folder, 'sequencer.cjs'), SEQUENCER);
    const results = join(folder, 'results.json');
    const { stderr } = spawnSync(
      process.execPath,
      [
        join(ROOT_DIR, 'node_modules', 'jest', 'bin', 'jest.js'),
        '--config',
        JSON.stringify({
          ...MODULES[modules],
          rootDir: folder,
          transform: {},
          testSequencer:
            sequencer === 'by-name'
              ? join(folder, 'sequencer.cjs')
              : join(STACK, `${sequencer}.mjs`),
        }),
        '--runInBand',
        `--testTimeout=${testTimeoutMs}`,
        '--json',
        `--outputFile=${results}`,
      ],
      { cwd: folder, encoding: 'utf8', env: { PATH: process.env['PATH'], ...env } },
    );
    const { testResults } = JSON.parse(readFileSync(results, 'utf8')) as {
      readonly testResults: readonly {
        readonly name: string;
        readonly message: string;
        readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
      }[];
    };
    return {
      statuses: Object.fromEntries(
        testResults.flatMap(({ name, assertionResults }) =>
          assertionResults.map(({ title, status }) => [
            `${name.slice(folder.length + 1).replace(/\.test\.\w+$/, '')}: ${title}`,
            status,
          ]),
        ),
      ),
      failures: testResults.map(({ message }) => message).join('\n'),
      printed: stderr,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Files in the order of their names. */
const SEQUENCER = `module.exports = class {
  sort(tests) { return [...tests].sort((a, b) => a.path.localeCompare(b.path)); }
  allFailedTests(tests) { return tests; }
  cacheResults() {}
  shard(tests) { return tests; }
};`;
