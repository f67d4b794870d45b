// `npm test`: types, lint, unit, integration, browser, end-to-end and fault tests; also works in a
// fresh clone. `npm test -- unit packages/bus` runs only the named parts and files. Tests that need
// what this machine lacks are left out, and the end says so; in CI that is an error.

import { bootstrap } from '../deploy/local/bootstrap.mjs';
import {
  add,
  chooseWhatToLeaveOut,
  conclude,
  format,
  jest,
  JEST_PROJECTS,
  lint,
  NO_TESTS,
  sayLeftOut,
  size,
  sweep,
  typecheck,
} from './parts.mjs';

const PARTS = { types: typecheck, lint, format, size };
const args = process.argv.slice(2);
const isPart = (arg) => arg in PARTS || JEST_PROJECTS.includes(arg);
const named = args.filter(isPart);
const patterns = args.filter((arg) => !isPart(arg));
const selected =
  named.length > 0
    ? named
    : patterns.length > 0
      ? JEST_PROJECTS
      : [...Object.keys(PARTS), ...JEST_PROJECTS];

const needsStack = selected.some((part) => ['integration', 'e2e', 'faults'].includes(part));
await bootstrap({ hasKafka: false });
const lacks = needsStack ? chooseWhatToLeaveOut() : {};

let total = NO_TESTS;
/** @type {string[]} */
const endedBy = [];
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    endedBy.push(signal);
  });
}
for (const part of selected) {
  if (endedBy.length > 0) break;
  total = add(total, await (part in PARTS ? PARTS[part]() : jest(part, patterns)));
}
if (needsStack) await sweep();
if (endedBy.length > 0)
  process.stdout.write(
    `\nEnded by ${endedBy[0]}: not everything ran, and what was under way counts as failed.\n`,
  );
sayLeftOut(lacks);
conclude(endedBy.length === 0 ? total : { ...total, failed: Math.max(1, total.failed) });
