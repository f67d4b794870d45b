import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT_DIR } from '@tidings/local';
import type { Figure } from '../report/figures.ts';
import { readUsage, type BenchUsage } from './usage.ts';

/** Figures of one part in one run, and the settings that the run printed. */
export type PartRun = {
  readonly figures: readonly Figure[];
  readonly stores: unknown;
};

/** A new clone installs its packages first. */
const USAGE_WITHIN_MS = 600_000;
const PART_WITHIN_MS = 3_600_000;

const BENCH = ['run', '--silent', 'bench', '--'];
const LOG = join(ROOT_DIR, '.tidings', 'bench', 'against.log');

/** Runs without arguments, which prints the usage; a new clone installs its packages first. */
export function readCheckoutUsage(checkout: string): BenchUsage {
  const { stdout, stderr } = spawnSync('npm', BENCH, {
    cwd: checkout,
    encoding: 'utf8',
    env: environment(),
    timeout: USAGE_WITHIN_MS,
  });
  const usage = `${stdout}${stderr}`;
  if (!usage.includes('npm run bench'))
    throw new Error(`the bench of ${checkout} printed no usage:\n${usage}`);
  return readUsage(usage);
}

/**
 * Runs one part in a checkout and returns its result. The output goes to a log.
 * @throws if the run fails
 */
export async function runBench(
  checkout: string,
  { bench, part, options }: { bench: string; part: string; options: readonly string[] },
): Promise<PartRun> {
  mkdirSync(dirname(LOG), { recursive: true });
  const log = openSync(LOG, 'a');
  const startedAt = Date.now();
  const child = spawn('npm', [...BENCH, bench, part, ...options], {
    cwd: checkout,
    env: environment(),
    stdio: ['ignore', log, log],
    timeout: PART_WITHIN_MS,
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  closeSync(log);
  const file = join(checkout, '.tidings', 'bench', `${bench}.json`);
  if (code !== 0 || (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < startedAt)
    throw new Error(`${bench} ${part} failed in ${checkout}; see ${LOG}`);
  const { parts, stores } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly parts: Readonly<Record<string, { readonly figures: readonly Figure[] }>>;
    readonly stores?: unknown;
  };
  return { figures: parts[part]?.figures ?? [], stores };
}

/** Without npm's variables, which name this checkout. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !name.startsWith('npm_') && name !== 'INIT_CWD' && name !== 'NODE_OPTIONS',
    ),
  );
}
