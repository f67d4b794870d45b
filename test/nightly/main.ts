// `npm run nightly`: what is too long for `npm test`: all seeds, all rows of faults, mutants, and more.
// `npm run nightly -- seeds faults`: only these parts. Each takes at most 90 minutes on two cores.

import { onStopRequest } from '@tidings/local';
import { sweepTestHomes } from '@tidings/tools/stack/test-home';
import { listParts } from './nightly-parts.ts';
import { runNightly } from './run-nightly.ts';

const PART_LIMIT_MS = 90 * 60_000;

const signal = onStopRequest();
const parts = listParts();
const named = process.argv.slice(2);
const unknown = named.find((name) => !Object.hasOwn(parts, name));
if (unknown !== undefined) {
  process.stderr.write(`npm run nightly -- [${Object.keys(parts).join(' ')}]\n`);
  process.exit(2);
}
process.exit(
  await runNightly(
    Object.fromEntries(
      Object.entries(parts).filter(([name]) => named.length === 0 || named.includes(name)),
    ),
    {
      signal,
      partLimitMs: PART_LIMIT_MS,
      sweep: sweepTestHomes,
      print: (text) => void process.stdout.write(text),
    },
  ),
);
