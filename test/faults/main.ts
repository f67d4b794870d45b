import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOME_DIR, onStopRequest } from '@tidings/local';
import type { FaultRow } from './fault-row.ts';
import { readArguments, usageOf, type Arguments } from './arguments.ts';
import { LONG_FORM_SECONDS, PATIENT_FROM_MS, SHORT_PATIENCE } from './plans.ts';
import { startRig, type Brokers } from './rig.ts';
import { INGEST_ROWS } from './rows/index.ts';
import { runRow, type RowResult } from './run-row.ts';
import { describeResult, formatTable } from './table.ts';

/** `npm run faults -- ingest [F5 F9 …] [--seeds 3] [--seconds 30] [--rate 150]`: what harm does to a whole installation, as a table. */
const SUITES: Readonly<Record<string, readonly FaultRow[]>> = { ingest: INGEST_ROWS };

const RESULTS_DIR = join(HOME_DIR, 'faults');
const INTERRUPTED = 130;
/** A machine that is so busy that the long form takes half as long again tells little more. */
const ALL_WITHIN_MS = 90 * 60_000;

const stopRequested = onStopRequest();
mkdirSync(RESULTS_DIR, { recursive: true });
const arguments_ = readArguments(process.argv.slice(2), SUITES);
if (arguments_ === null) {
  tell(usageOf(SUITES));
  process.exit(2);
}
process.exit(await run(arguments_));

/** Resolves with the exit code. */
async function run(wanted: Arguments): Promise<number> {
  const { rows, seeds, plan } = wanted;
  const minutes = (seeds * rows.reduce((sum, { id }) => sum + (LONG_FORM_SECONDS[id] ?? 0), 0)) / 60;
  tell(`${rows.length} rows, ${seeds} seeds each, up to ${plan.requestsPerSecond} requests/s, outages of ${plan.outageMs / 1000} s: on two cores about ${Math.ceil(minutes)} minutes in the long form.\n`);
  const results: RowResult[] = [];
  let areComplete = false;
  try {
    areComplete = await runAll(wanted, results);
  } catch (error) {
    if (!stopRequested.aborted) throw error;
    tell('Interrupted.');
  }
  if (results.length > 0) tell(`\n${formatTable(results.toSorted((a, b) => Number(a.row.slice(1)) - Number(b.row.slice(1))))}\n`);
  if (stopRequested.aborted) return INTERRUPTED;
  if (!areComplete) tell(`Not all was run within ${ALL_WITHIN_MS / 60_000} minutes.`);
  return areComplete && results.every(({ violations }) => violations.length === 0) ? 0 : 1;
}

/** Rows that need as many brokers share an installation; all have their turn with one seed before the next. False when time ran out. */
async function runAll({ suite, rows, seeds, plan }: Arguments, results: RowResult[]): Promise<boolean> {
  const startedAt = performance.now();
  for (const [brokers, group] of Map.groupBy(rows, (row): Brokers => row.brokers)) {
    stopRequested.throwIfAborted();
    const rig = await startRig({ brokers, name: `faults-${brokers}`, signal: stopRequested, ...(plan.outageMs < PATIENT_FROM_MS && { env: SHORT_PATIENCE }) });
    try {
      for (let seed = 1; seed <= seeds; seed += 1) {
        for (const row of group) {
          if (performance.now() - startedAt > ALL_WITHIN_MS) return false;
          const result = await runRow(rig, { row, plan, seed, signal: stopRequested });
          results.push(result);
          keepResults(suite, results);
          tell(describeResult(result));
          if (result.violations.length > 0) keepLedger(result);
        }
      }
    } finally {
      await rig.stop();
    }
  }
  return true;
}

/** After each run, so that what was measured is there whatever comes. */
function keepResults(suite: string, results: readonly RowResult[]): void {
  writeFileSync(join(RESULTS_DIR, `${suite}.json`), `${JSON.stringify(results.map(({ ledger: _ledger, ...result }) => result), null, 2)}\n`);
}

/** What was sent when and answered how, a line for each batch. */
function keepLedger({ row, seed, ledger }: RowResult): void {
  const file = join(RESULTS_DIR, `${row}-${seed}.jsonl`);
  writeFileSync(file, ledger.entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  tell(`  the requests: ${file}`);
}

function tell(text: string): void {
  process.stdout.write(`${text}\n`);
}
