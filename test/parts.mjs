// The parts of a test run, shared by `npm test` and `pnpm check`. Plain JavaScript because it
// starts before Node 24 is installed.

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { childEnvironment, fail } from '../deploy/local/bootstrap.mjs';
import { palette } from '../deploy/local/progress.mjs';
import { findLacks, needsOf } from './stack/needs.mjs';

const ROOT_DIR = join(dirname(new URL(import.meta.url).pathname), '..');
const MODULES_DIR = join(ROOT_DIR, 'node_modules');
const RESULTS_DIR = join(ROOT_DIR, '.tidings', 'test-results');
const NODE_OPTIONS = '--experimental-vm-modules --disable-warning=ExperimentalWarning';

export const JEST_PROJECTS = ['unit', 'integration', 'browser', 'e2e', 'faults'];
/**
 * Files at a time, on two cores. Tests with stores wait for these for a third of their time, and those
 * of a browser for saving and timers.
 */
const WORKERS = { unit: 2, integration: 3, e2e: 3, browser: 2, faults: 1 };
/** These run at the same time: fault tests leave a core idle for much of it. */
const TOGETHER = new Set(['browser', 'faults']);
/** Fault tests have bounds of the time until all works again: a browser beside them waits. */
const NICENESS = { browser: 5 };
/** One project per runtime: Node, page, service worker. */
const TYPESCRIPT_PROJECTS = [
  '.',
  'services/client-api/browser-sdk/page',
  'services/client-api/browser-sdk/worker',
  'web',
  'test/browser',
];

/** Divides the parts of a plan into groups; the parts of a group run at the same time. */
export function groupParts(plan) {
  const together = plan.filter(({ part }) => TOGETHER.has(part));
  const others = plan.filter(({ part }) => !TOGETHER.has(part));
  return [...others.map((entry) => [entry]), ...(together.length > 0 ? [together] : [])];
}

/** No tests ran. */
export const NO_TESTS = { passed: 0, failed: 0, skipped: 0 };

export function add(a, b) {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  };
}

/** Type check; counted only if it fails, since it is not a test. */
export async function typecheck() {
  let total = NO_TESTS;
  for (const project of TYPESCRIPT_PROJECTS) {
    total = add(
      total,
      await checkBy(`Types: ${project}`, [
        join(MODULES_DIR, 'typescript', 'bin', 'tsc'),
        '-p',
        project,
      ]),
    );
  }
  return total;
}

/** Format check; counted only if a file differs. `npm run format` fixes it. */
export function format() {
  return checkBy('Format', [join(MODULES_DIR, 'oxfmt', 'bin', 'oxfmt'), '--check']);
}

/** Rules of the code, then files, exports and dependencies that nothing uses. */
export async function lint() {
  const rules = await checkBy('Lint', [
    join(MODULES_DIR, 'oxlint', 'bin', 'oxlint'),
    '--type-aware',
    '--deny-warnings',
  ]);
  const unused = await checkBy('Unused', [
    join(MODULES_DIR, 'knip', 'bin', 'knip.js'),
    '--no-progress',
    '--treat-config-hints-as-errors',
  ]);
  return add(rules, unused);
}

/** Size limit of the dashboard's first page; counted only if exceeded. */
export function size() {
  return checkBy('Size', [join(ROOT_DIR, 'web', 'size.mjs')]);
}

/**
 * A limit for hanging tests, not slow ones: some write thousands of rows. Jest ignores the timeout
 * of a project.
 */
const TEST_TIMEOUT_MS = { integration: 20_000 };

/** Runs one jest project; `patterns` select files by path. */
export async function jest(project, patterns, { onFiles } = {}) {
  heading(`Tests: ${project}`);
  mkdirSync(RESULTS_DIR, { recursive: true });
  const results = join(RESULTS_DIR, `${project}.json`);
  rmSync(results, { force: true });
  const code = await run(
    [
      ...jestCommand(project),
      // Of its own, since two parts may run at the same time.
      `--cacheDirectory=${join(MODULES_DIR, '.cache', 'jest', project)}`,
      '--json',
      `--outputFile=${results}`,
      ...patterns,
    ],
    { env: { NODE_OPTIONS }, stdout: 'ignore', niceness: NICENESS[project] },
  );
  return readResults(results, code, onFiles);
}

/** Runs the files of these projects again at each change, until Ctrl-C. */
export function watch(projects, patterns) {
  return run([...jestCommand(...projects), '--watchAll', ...patterns], {
    env: { NODE_OPTIONS },
    stdin: 'inherit',
  });
}

function jestCommand(...projects) {
  const timeoutMs = Math.max(...projects.map((project) => TEST_TIMEOUT_MS[project] ?? 0));
  return [
    join(MODULES_DIR, 'jest', 'bin', 'jest.js'),
    '--config',
    join('test', 'jest.config.mjs'),
    '--selectProjects',
    ...projects,
    '--passWithNoTests',
    `--maxWorkers=${Math.min(...projects.map((project) => WORKERS[project]))}`,
    ...(timeoutMs === 0 ? [] : [`--testTimeout=${timeoutMs}`]),
  ];
}

/** Stops and removes what killed tests left. */
export function sweep() {
  return run([
    '--disable-warning=ExperimentalWarning',
    join(ROOT_DIR, 'test', 'stack', 'sweep.ts'),
  ]);
}

/**
 * Leaves out tests that need what this machine lacks, and returns that. In CI, which runs all, prints
 * it and exits.
 */
export function chooseWhatToLeaveOut() {
  const lacks = findLacks();
  const without = Object.keys(lacks).filter((need) => lacks[need].length > 0);
  if (without.length > 0 && process.env.CI) fail(Object.values(lacks).flat());
  process.env.TEST_WITHOUT = without.join(' ');
  return lacks;
}

/** Numbers of the tests that this run left out, by what they need and the machine lacks. */
const leftOut = new Map();

function countLeftOut(testResults) {
  const without = (process.env.TEST_WITHOUT ?? '').split(' ');
  for (const { name, assertionResults } of testResults) {
    const absent = needsOf(readFileSync(name, 'utf8')).filter((need) => without.includes(need));
    if (absent.length === 0) continue;
    const key = absent.join(' and ');
    const { count } = leftOut.get(key) ?? { count: 0 };
    leftOut.set(key, { absent, count: count + assertionResults.length });
  }
}

/** Says which tests were left out, and why, on the line before the last one. */
export function sayLeftOut(lacks) {
  if (leftOut.size === 0) return;
  const needs = new Set([...leftOut.values()].flatMap(({ absent }) => absent));
  const reasons = [...needs].flatMap((need) => lacks[need]);
  const counts = [...leftOut].map(([key, { count }]) => `${count} need ${key}`);
  process.stdout.write(
    `\n${reasons.join('\n')}\nNot everything ran. Left out and counted as skipped: ${counts.join(', ')}.`,
  );
}

/** Prints the last line, in a machine-readable form, and sets the exit code. */
export function conclude({ passed, failed, skipped }) {
  process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}

async function checkBy(title, args) {
  heading(title);
  const startedAt = performance.now();
  const code = await run(args);
  if (code === 0)
    process.stdout.write(`ok, ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
  return { ...NO_TESTS, failed: code === 0 ? 0 : 1 };
}

function readResults(file, code, onFiles) {
  try {
    const {
      numPassedTests,
      numFailedTests,
      numPendingTests,
      numTodoTests,
      numRuntimeErrorTestSuites,
      testResults,
    } = JSON.parse(readFileSync(file, 'utf8'));
    countLeftOut(testResults);
    onFiles?.(
      testResults.map(({ name, startTime, endTime }) => ({
        name: relative(ROOT_DIR, name),
        seconds: (endTime - startTime) / 1000,
      })),
    );
    // A file that failed to load has no tests, so it counts as one failure.
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    return {
      passed: numPassedTests,
      failed: code !== 0 && failed === 0 ? 1 : failed,
      skipped: numPendingTests + numTodoTests,
    };
  } catch {
    // jest exited before it wrote results because its setup failed; it has printed why.
    return { ...NO_TESTS, failed: 1 };
  }
}

function heading(title) {
  process.stdout.write(`\n${palette().bold(title)}\n`);
}

/**
 * Runs a script on Node 24 and resolves with its exit code. jest reports on standard error, so its
 * JSON on standard output is hidden.
 */
function run(args, { env = {}, stdin = 'ignore', stdout = 'inherit', niceness = 0 } = {}) {
  const environment = { ...childEnvironment(), ...env };
  const child = spawn(join(MODULES_DIR, 'node', 'bin', 'node'), args, {
    cwd: ROOT_DIR,
    env: environment,
    stdio: [stdin, stdout, 'inherit'],
  });
  if (niceness > 0 && child.pid !== undefined) setPriority(child.pid, niceness);
  return new Promise((resolve, reject) => {
    const passOn = (signal) => child.kill(signal);
    process.on('SIGINT', passOn);
    process.on('SIGTERM', passOn);
    child.once('error', reject);
    child.once('exit', (code) => {
      process.off('SIGINT', passOn);
      process.off('SIGTERM', passOn);
      resolve(code ?? 1);
    });
  });
}
