// `npm test -- --since main`: only what a change since a revision can reach. Plain JavaScript because it
// starts before Node 24 is installed.

import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { childEnvironment, fail } from '../../deploy/local/bootstrap.mjs';
import { hasNightlyRows, listByRun } from '../nightly/nightly-files.mjs';

const HERE = dirname(new URL(import.meta.url).pathname);
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** `--since REVISION` and `--list`, and the other arguments. */
export function readSince(args) {
  const others = args.filter((arg) => arg !== '--list');
  const at = others.indexOf('--since');
  const isListed = others.length < args.length;
  if (at === -1 && isListed)
    fail(['--list needs --since, as in "npm test -- --since main --list".']);
  if (at === -1) return { revision: null, isListed, others };
  const [revision] = others.splice(at, 2).slice(1);
  if (revision === undefined) fail(['Name a revision, as in "npm test -- --since main".']);
  return { revision, isListed, others };
}

/**
 * The parts of a run that a change since `revision` reaches, each with the patterns of its files, and
 * prints how many files these are; `isListed` also prints each file and why it runs.
 */
export function planSince(revision, { parts, patterns, isListed }) {
  const { changed, everythingBecauseOf, checks, tests } = readAffected(revision);
  const isNamed = ({ path }) =>
    patterns.length === 0 || patterns.some((pattern) => new RegExp(pattern, 'i').test(path));
  const left = hasNightlyRows() ? [] : listByRun().nightly;
  const isLeft = ({ path, why }) => left.includes(path) && why.at(0) !== path;
  const plan = [];
  const lines = [];
  for (const part of parts) {
    const all = tests.filter(({ project }) => project === part);
    const chosen = all.filter((test) => test.why !== null && !isLeft(test)).filter(isNamed);
    if (checks.includes(part)) plan.push({ part, patterns: [] });
    if (chosen.length === 0) continue;
    lines.push(`${part} ${chosen.length} of ${all.length}`);
    plan.push({
      part,
      patterns: chosen.length === all.length ? [] : chosen.map(({ path }) => patternOf(path)),
    });
    if (isListed)
      for (const { path, why } of chosen) process.stdout.write(`${part}  ${path}\n${because(why)}`);
  }
  process.stdout.write(
    `Files changed since ${revision}: ${changed.length}. ` +
      `${everythingBecauseOf === null ? '' : `Everything runs because of ${everythingBecauseOf}. `}` +
      `Test files: ${lines.join(', ') || 'none'}. ` +
      `Checks: ${parts.filter((part) => checks.includes(part)).join(', ') || 'none'}.\n`,
  );
  return plan;
}

const patternOf = (path) => `${path.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;

/** The way from a changed file to a test; a test that was changed needs none. */
function because(why) {
  return why.length < 2 ? '' : `    ${why.slice(0, -1).join(' → ')}\n`;
}

function readAffected(revision) {
  const { status, stdout, stderr } = spawnSync(
    'node',
    ['--disable-warning=ExperimentalWarning', join(HERE, 'main.ts'), revision],
    { encoding: 'utf8', env: childEnvironment(), maxBuffer: OUTPUT_BYTES_MAX },
  );
  if (status !== 0)
    fail([
      `What changed since ${revision} is not known: ${/^fatal: .*$/m.exec(stderr)?.[0] ?? stderr}`,
    ]);
  return JSON.parse(stdout);
}
