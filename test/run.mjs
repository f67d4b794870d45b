// `npm test`: types, lint, unit, integration, browser, end-to-end and fault tests; also works in a
// fresh clone. `npm test -- unit packages/bus` runs only the named parts and files. Tests that need
// what this machine lacks are left out, and the end says so; in CI that is an error. `--since main`
// runs what a change can reach, and `--list` prints it instead. CONTRIBUTING.md has all options.

import { bootstrap, fail } from '../deploy/local/bootstrap.mjs';
import { planSince, readSince } from './affected/since.mjs';
import { commitCost, createCostMeter } from './cost.mjs';
import {
  add,
  chooseWhatToLeaveOut,
  conclude,
  format,
  groupParts,
  jest,
  JEST_PROJECTS,
  lint,
  NO_TESTS,
  sayLeftOut,
  size,
  sweep,
  typecheck,
  watch,
} from './parts.mjs';
import { leaveToNightly } from './nightly/nightly-files.mjs';
import { chooseSeeds } from './seeds.mjs';

const PARTS = { types: typecheck, lint, format, size };
const OPTIONS = ['--isolated', '--watch', '--commit-cost'];
const { revision, isListed, others } = readSince(process.argv.slice(2));
const options = others.filter((arg) => OPTIONS.includes(arg));
const args = others.filter((arg) => !OPTIONS.includes(arg));
const isPart = (arg) => arg in PARTS || JEST_PROJECTS.includes(arg);
const named = args.filter(isPart);
const patterns = args.filter((arg) => !isPart(arg));
const all = patterns.length > 0 ? JEST_PROJECTS : [...Object.keys(PARTS), ...JEST_PROJECTS];
const isWatching = options.includes('--watch');
const selected = named.length > 0 ? named : isWatching ? ['unit'] : all;
// The configuration of jest reads it.
if (options.includes('--isolated')) process.env.TEST_ISOLATED = 'true';

// Other files, or modules of each file's own, cost something else.
const isComparable = patterns.length === 0 && revision === null && !options.includes('--isolated');
if (options.includes('--commit-cost') && !isComparable)
  fail(['--commit-cost needs whole parts: name no files, and neither --since nor --isolated.']);

await bootstrap({ hasKafka: false });
const plan =
  revision === null
    ? leaveToNightly(selected.map((part) => ({ part, patterns })))
    : planSince(revision, { parts: selected, patterns, isListed });
if (isListed || plan.length === 0) process.exit();
const needsStack = plan.some(({ part }) => ['integration', 'e2e', 'faults'].includes(part));
if (plan.some(({ part }) => JEST_PROJECTS.includes(part))) chooseSeeds();
const lacks = needsStack ? chooseWhatToLeaveOut() : {};

/** @type {string[]} */
const endedBy = [];
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    endedBy.push(signal);
  });
}

if (isWatching) {
  process.exitCode = await watch(
    selected.filter((part) => JEST_PROJECTS.includes(part)),
    patterns,
  );
  if (needsStack) await sweep();
} else await runAll();

async function runAll() {
  const cost = createCostMeter();
  let total = NO_TESTS;
  const runPart = ({ part, patterns: files }) =>
    part in PARTS ? PARTS[part]() : jest(part, files, { onFiles: cost.addFiles });
  for (const group of groupParts(plan)) {
    if (endedBy.length > 0) break;
    const name = group.map(({ part }) => part).join(', ');
    const results = await cost.measure(name, () => Promise.all(group.map(runPart)));
    total = results.reduce(add, total);
  }
  if (needsStack) await sweep();
  if (endedBy.length > 0)
    process.stdout.write(
      `\nEnded by ${endedBy[0]}: not everything ran, and what was under way counts as failed.\n`,
    );
  const measured = cost.finish({ isComparable });
  process.stdout.write(`\n${measured.report.join('\n')}\n`);
  if (options.includes('--commit-cost')) commitCost(measured);
  sayLeftOut(lacks);
  conclude(endedBy.length === 0 ? total : { ...total, failed: Math.max(1, total.failed) });
}
