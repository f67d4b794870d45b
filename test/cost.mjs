// What a test run costs: CPU seconds by part, beside what the repository says it cost. Machines differ
// by half, so both are divided by the CPU time of a fixed loop in the same run. Plain JavaScript because
// `npm test` reads it before Node 24 is installed.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TEST_DIR = dirname(fileURLToPath(import.meta.url));
const NODE_24 = join(TEST_DIR, '..', 'node_modules', 'node', 'bin', 'node');
const COMMITTED = join(TEST_DIR, 'cost.json');
const SLOWEST_FILES = 10;
const NAME_CHARS = 16;
const CALIBRATION_TIMEOUT_MS = 60_000;
/** Linux counts CPU time in hundredths of a second for programs, on every architecture. */
const TICKS_PER_SECOND = 100;

/**
 * CPU seconds, user and system, of all processes that this one started and that have ended, and of
 * theirs. Not of those whose parent ended before them, as most of Chromium's. Null where the system does
 * not tell.
 */
function childrenCpuSeconds() {
  try {
    // After the name, which may hold spaces: state is field 3, cutime 16, cstime 17 (proc_pid_stat(5)).
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
  } catch {
    return null;
  }
}

/** CPU seconds of a fixed loop, by the Node that runs the tests. */
function calibrate() {
  const program = join(TEST_DIR, 'calibration.mjs');
  const { status, stdout, stderr } = spawnSync(NODE_24, [program], {
    encoding: 'utf8',
    timeout: CALIBRATION_TIMEOUT_MS,
  });
  if (status !== 0) throw new Error(`The fixed loop of the cost did not end well: ${stderr}`);
  return Number(stdout);
}

/** Measures parts of a run. */
export function createCostMeter() {
  const calibrations = [calibrate()];
  /** @type {Map<string, number>} */
  const parts = new Map();
  /** @type {{ name: string, seconds: number }[]} */
  const files = [];
  return {
    /** Runs a part, and adds what it cost. */
    async measure(name, run) {
      const before = childrenCpuSeconds();
      const result = await run();
      const after = childrenCpuSeconds();
      if (before !== null && after !== null) parts.set(name, after - before);
      return result;
    },
    addFiles(timed) {
      files.push(...timed);
    },
    /** The report, beside the committed costs if it ran all files of its parts as usual; and the costs. */
    finish({ isComparable }) {
      calibrations.push(calibrate());
      const unit = calibrations.reduce((sum, seconds) => sum + seconds, 0) / calibrations.length;
      return {
        report: describeCost({
          parts,
          files,
          unit,
          committed: isComparable ? readCommitted() : {},
        }),
        parts,
        unit,
      };
    },
  };
}

function readCommitted() {
  return JSON.parse(readFileSync(COMMITTED, 'utf8'));
}

/** Replaces what the repository says that these parts cost. */
export function commitCost({ parts, unit }) {
  const measured = [...parts].map(([part, seconds]) => [part, Math.round(seconds / unit)]);
  const costs = { ...readCommitted(), ...Object.fromEntries(measured) };
  writeFileSync(COMMITTED, `${JSON.stringify(costs, null, 2)}\n`);
}

/** Lines: each part beside its committed cost, the sum, and the slowest files. */
function describeCost({ parts, files, unit, committed }) {
  const rows = [...parts].map(([part, seconds]) => ({
    part,
    seconds,
    units: seconds / unit,
    before: committed[part],
  }));
  const known = rows.filter(({ before }) => before !== undefined);
  const sum = (of) => of.reduce((total, value) => total + value, 0);
  const total = {
    part: 'sum',
    seconds: sum(rows.map(({ seconds }) => seconds)),
    units: sum(rows.map(({ units }) => units)),
    before: known.length === rows.length ? sum(known.map(({ before }) => before)) : undefined,
  };
  const line = ({ part, seconds, units, before }) => {
    const beside =
      before === undefined
        ? ''
        : `${String(before).padStart(10)} ${percent(units, before).padStart(6)}`;
    return `${part.padEnd(NAME_CHARS)} ${seconds.toFixed(0).padStart(7)} ${units.toFixed(0).padStart(7)} ${beside}`.trimEnd();
  };
  const cost =
    rows.length === 0
      ? []
      : [
          `CPU seconds by part; units are runs of a fixed loop, ${unit.toFixed(2)} s here.`,
          `${'part'.padEnd(NAME_CHARS)} ${'seconds'.padStart(7)} ${'units'.padStart(7)} ${'committed'.padStart(10)}`,
          ...(rows.length > 1 ? [...rows, total] : rows).map(line),
        ];
  const slowest = [...files].sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_FILES);
  return [
    ...cost,
    ...(slowest.length > 1 ? ['', 'Slowest files, in seconds:'] : []),
    ...(slowest.length > 1
      ? slowest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)}  ${name}`)
      : []),
  ];
}

function percent(now, before) {
  if (before === 0) return '';
  const change = Math.round((now / before - 1) * 100);
  return `${change < 0 ? '' : '+'}${change} %`;
}
