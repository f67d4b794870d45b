import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asTable } from '../as-table.ts';
import type { CheckoutCopy } from '../checkouts/copy-checkout.ts';

/** A wrong edit, and the tests that must fail because of it. */
export type Mutant = {
  readonly name: string;
  readonly file: string;
  /** In a file of SQL, the statement or part. */
  readonly block?: string;
  readonly find: string;
  readonly replace: string;
  readonly tests: { readonly project: 'unit' | 'integration'; readonly pattern: string };
};

type Result = { readonly passed: number; readonly failed: number; readonly unloadable: number };

/**
 * Runs the tests of each mutant, which must pass without it, and prints which mutants were killed;
 * false if one survived.
 * @throws if the checkout's signal aborts
 */
export async function runMutants(
  checkout: CheckoutCopy,
  mutants: readonly Mutant[],
): Promise<boolean> {
  const before = await runOnce(
    checkout,
    mutants.map(({ tests }) => tests),
  );
  const rows: string[][] = [];
  for (const mutant of mutants) {
    const isUsable = before.get(keyOf(mutant.tests)) === true;
    const result = isUsable
      ? await checkout.edit(mutant, () => runTests(checkout, mutant.tests))
      : undefined;
    rows.push([
      verdictOn(result),
      mutant.name,
      mutant.tests.pattern,
      result === undefined
        ? ''
        : `${result.failed} of ${result.failed + result.passed} tests failed`,
    ]);
    process.stdout.write(`${rows.at(-1)?.join('  ')}\n`);
  }
  process.stdout.write(`\n${asTable([['verdict', 'mutant', 'tests', 'result'], ...rows])}\n`);
  const killed = rows.filter(([verdict]) => verdict === 'killed').length;
  process.stdout.write(`\n${killed} of ${mutants.length} mutants killed\n`);
  return killed === mutants.length;
}

/** A test that cannot be loaded does not count as a kill. */
function verdictOn(result: Result | undefined): string {
  if (result === undefined) return 'tests fail without it';
  if (result.failed > 0) return 'killed';
  return result.unloadable > 0 ? 'not tried' : 'survived';
}

/** Runs the tests on the unchanged code. */
async function runOnce(
  checkout: CheckoutCopy,
  all: readonly Mutant['tests'][],
): Promise<ReadonlyMap<string, boolean>> {
  const distinct = new Map(all.map((tests) => [keyOf(tests), tests]));
  const passes = new Map<string, boolean>();
  for (const [key, tests] of distinct) {
    const { passed, failed, unloadable } = await runTests(checkout, tests);
    passes.set(key, passed > 0 && failed === 0 && unloadable === 0);
    process.stdout.write(
      `without mutants  ${tests.pattern}  ${passed} passed, ${failed + unloadable} failed\n`,
    );
  }
  return passes;
}

const keyOf = ({ project, pattern }: Mutant['tests']): string => `${project} ${pattern}`;

async function runTests(
  { dir, signal }: CheckoutCopy,
  { project, pattern }: Mutant['tests'],
): Promise<Result> {
  const resultsDir = mkdtempSync(join(tmpdir(), 'tidings-mutant-'));
  const results = join(resultsDir, 'results.json');
  try {
    // Without the test runner, which would install outdated packages.
    const args = [
      join('node_modules', 'jest', 'bin', 'jest.js'),
      '--config',
      join('test', 'jest.config.mjs'),
      '--selectProjects',
      project,
      '--json',
      `--outputFile=${results}`,
      '--testPathPatterns',
      pattern,
    ];
    const env = {
      ...process.env,
      // Which mutants die must not depend on the date.
      TEST_SEEDS: 'all',
      NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
    };
    const child = spawn(process.execPath, args, {
      cwd: dir,
      env,
      stdio: ['ignore', 'ignore', 'ignore'],
      signal,
    });
    await once(child, 'exit');
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(
      readFileSync(results, 'utf8'),
    ) as Record<string, number>;
    return {
      passed: numPassedTests ?? 0,
      failed: numFailedTests ?? 0,
      unloadable: numRuntimeErrorTestSuites ?? 0,
    };
  } catch {
    signal.throwIfAborted();
    // jest exited before it wrote results because its setup failed.
    return { passed: 0, failed: 0, unloadable: 1 };
  } finally {
    rmSync(resultsDir, { recursive: true, force: true });
  }
}
