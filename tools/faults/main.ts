import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOME_DIR, onStopRequest } from '@tidings/local';
import { choosePlan, readArguments, describeUsage, type Arguments } from './arguments.ts';
import type { Brokers } from './rigs/rig.ts';
import { automationsSuite } from './suites/automations.ts';
import { deliverySuite } from './suites/delivery.ts';
import { ingestSuite } from './suites/ingest.ts';
import { neighboursSuite } from './suites/neighbours.ts';
import { processesSuite } from './suites/processes.ts';
import { rollingSuite } from './suites/rolling.ts';
import { upgradeSuite } from './suites/upgrade.ts';
import type { RowResult, Suite } from './suites/suite.ts';
import { describeResult, formatTable } from './table.ts';

/**
 * `npm run faults -- ingest [I5 I9 …] [--seeds 3 | --seed 2] [--seconds 30] [--rate 150] [--bus postgres]`: injects
 * faults into a whole installation and prints a table.
 */
const SUITES: Readonly<Record<string, Suite>> = {
  ingest: ingestSuite,
  delivery: deliverySuite,
  processes: processesSuite,
  rolling: rollingSuite,
  upgrade: upgradeSuite,
  neighbours: neighboursSuite,
  automations: automationsSuite,
};

const RESULTS_DIR = join(HOME_DIR, 'faults');
const INTERRUPTED = 130;
/** Time limit of the long form; a machine busy enough to exceed it gives no useful results. */
const ALL_WITHIN_MS = 240 * 60_000;

const stopRequested = onStopRequest();
mkdirSync(RESULTS_DIR, { recursive: true });
const arguments_ = readArguments(process.argv.slice(2), SUITES);
const suite = SUITES[arguments_?.suite ?? ''];
if (arguments_ === null || suite === undefined) {
  tell(describeUsage(SUITES));
  process.exit(2);
}
process.exit(await run(arguments_, suite));

/** Resolves with the exit code. */
async function run(wanted: Arguments, chosen: Suite): Promise<number> {
  const { rows, seeds, plan } = wanted;
  const minutes =
    (seeds.length * rows.reduce((sum, { id }) => sum + (chosen.longFormSeconds[id] ?? 0), 0)) / 60;
  tell(
    `${rows.length} rows, ${seeds.length === 1 ? `seed ${seeds[0]}` : `${seeds.length} seeds each`}, up to ${plan.requestsPerSecond} requests/s, outages of ${plan.outageMs / 1000} s: about ${Math.ceil(minutes)} minutes on two cores in the long form.\n`,
  );
  const results: RowResult[] = [];
  let areComplete = false;
  try {
    areComplete = await runAll(chosen, wanted, results);
  } catch (error) {
    if (!stopRequested.aborted) throw error;
    tell('Interrupted.');
  }
  if (results.length > 0)
    tell(`\n${formatTable(results.toSorted((a, b) => numberOf(a) - numberOf(b)))}\n`);
  if (stopRequested.aborted) return INTERRUPTED;
  if (!areComplete)
    tell(`Stopped at the limit of ${ALL_WITHIN_MS / 60_000} minutes; not all rows were run.`);
  return areComplete && results.every(({ violations }) => violations.length === 0) ? 0 : 1;
}

function numberOf({ row }: RowResult): number {
  return Number.parseInt(row.slice(1), 10);
}

/**
 * Rows with the same number of brokers share an installation. All run with one seed before the next
 * seed. False if the time limit was reached.
 */
async function runAll(chosen: Suite, wanted: Arguments, results: RowResult[]): Promise<boolean> {
  const { suite: name, bus, rows, seeds, plan, from, against } = wanted;
  const startedAt = performance.now();
  for (const [brokers, group] of Map.groupBy(rows, (row): Brokers => row.brokers)) {
    stopRequested.throwIfAborted();
    const stage = await chosen.start({ bus, brokers, plan, from, against, signal: stopRequested });
    try {
      for (const seed of seeds) {
        for (const row of group) {
          if (performance.now() - startedAt > ALL_WITHIN_MS) return false;
          const result = await stage.run(row.id, {
            plan: choosePlan(row, wanted),
            seed,
            signal: stopRequested,
          });
          results.push(result);
          keepResults(name, results);
          tell(describeResult(result));
          if (result.violations.length > 0) keepRequests(name, result);
        }
      }
    } finally {
      await stage.stop();
    }
  }
  return true;
}

/** Writes results after each run, so that an abort loses nothing. */
function keepResults(name: string, results: readonly RowResult[]): void {
  writeFileSync(
    join(RESULTS_DIR, `${name}.json`),
    `${JSON.stringify(
      results.map(({ requests: _requests, ...result }) => result),
      null,
      2,
    )}\n`,
  );
}

/** Writes a line per request: when it was sent, and its response. */
function keepRequests(name: string, { row, seed, requests }: RowResult): void {
  const file = join(RESULTS_DIR, `${name}-${row}-${seed}.jsonl`);
  writeFileSync(file, requests.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  tell(`  the requests: ${file}`);
}

function tell(text: string): void {
  process.stdout.write(`${text}\n`);
}
