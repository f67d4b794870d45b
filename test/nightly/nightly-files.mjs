// Test files whose first comment says `@nightly`: only `npm run nightly`, and a run that names them, runs
// them. Plain JavaScript because `npm test` reads it before Node 24 is installed.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readPragma } from '../stack/pragma.mjs';

const FOLDER = 'test/e2e';
const ROOT_DIR = join(dirname(new URL(import.meta.url).pathname), '..', '..');

/** Whether this run also has what is left to `npm run nightly`. */
export const hasNightlyRows = () => process.env.TEST_ROWS === 'all';

export function isNightly(source) {
  return readPragma(source, 'nightly') !== null;
}

/** The end-to-end and fault tests, as paths relative to the root, that a usual run has or leaves out. */
export function listByRun() {
  const files = readdirSync(join(ROOT_DIR, FOLDER))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${FOLDER}/${name}`);
  const nightly = files.filter((path) => isNightly(readFileSync(join(ROOT_DIR, path), 'utf8')));
  return { usual: files.filter((path) => !nightly.includes(path)), nightly };
}

/**
 * A plan without the files that are left to `npm run nightly`, which it prints. Patterns stay: who names
 * a file wants it.
 */
export function leaveToNightly(plan) {
  if (hasNightlyRows()) return plan;
  const { usual, nightly } = listByRun();
  const left = [];
  const shortened = plan.map(({ part, patterns }) => {
    const isOfPart = (path) => path.endsWith(`.${part}.test.ts`);
    const leaves = nightly.filter(isOfPart);
    if (patterns.length > 0 || leaves.length === 0) return { part, patterns };
    left.push(...leaves);
    return { part, patterns: usual.filter(isOfPart) };
  });
  if (left.length > 0)
    process.stdout.write(
      `Left to npm run nightly, besides rows of faults: ${left.join(', ')}. TEST_ROWS=all runs all.\n`,
    );
  return shortened;
}
