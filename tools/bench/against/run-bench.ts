import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT_DIR } from '@tidings/local';
import { checkoutEnvironment } from '../../checkouts/run-in-checkout.ts';
import type { Figure } from '../report/figures.ts';

/** Figures of one part in one run, and the settings that the run printed. */
export type PartRun = {
  readonly figures: readonly Figure[];
  readonly stores: unknown;
};

const PART_WITHIN_MS = 3_600_000;

const BENCH = ['run', '--silent', 'bench', '--'];
const LOG = join(ROOT_DIR, '.tidings', 'bench', 'against.log');

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
    env: checkoutEnvironment(),
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
