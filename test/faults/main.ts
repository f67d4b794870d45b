import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOME_DIR } from '@tidings/local';
import type { FaultRow, Plan } from './fault-row.ts';
import { LONG_PLAN, PATIENT_FROM_MS, SHORT_PATIENCE } from './plans.ts';
import { startRig, type Brokers } from './rig.ts';
import { INGEST_ROWS } from './rows/index.ts';
import { runRow, type RowResult } from './run-row.ts';
import { describeResult, formatTable } from './table.ts';

/** `npm run faults -- ingest [F5 F9 …] [--seeds 3] [--seconds 30] [--rate 150]`: what harm does to a whole installation, as a table. */
const SUITES: Readonly<Record<string, readonly FaultRow[]>> = { ingest: INGEST_ROWS };

const RESULTS_DIR = join(HOME_DIR, 'faults');

mkdirSync(RESULTS_DIR, { recursive: true });
const arguments_ = readArguments(process.argv.slice(2));
if (arguments_ === null) {
  tell(`Usage: npm run faults -- ${Object.keys(SUITES).join('|')} [${INGEST_ROWS.map(({ id }) => id).join(' ')}] [--seeds 3] [--seconds 30] [--rate 150]`);
  process.exit(2);
}
const results = await runAll(arguments_);
writeFileSync(join(RESULTS_DIR, `${arguments_.suite}.json`), `${JSON.stringify(results.map(({ ledger: _ledger, ...result }) => result), null, 2)}\n`);
tell(`\n${formatTable(results)}\n`);
process.exitCode = results.some(({ violations }) => violations.length > 0) ? 1 : 0;

/** What was sent when and answered how, a line for each batch. */
function keepLedger({ row, seed, ledger }: RowResult): void {
  const file = join(RESULTS_DIR, `${row}-${seed}.jsonl`);
  writeFileSync(file, ledger.entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  tell(`  the requests: ${file}`);
}

function tell(text: string): void {
  process.stdout.write(`${text}\n`);
}

type Arguments = { readonly suite: string; readonly rows: readonly FaultRow[]; readonly seeds: number; readonly plan: Plan };

/** Rows that need as many brokers share an installation. */
async function runAll({ rows, seeds, plan }: Arguments): Promise<RowResult[]> {
  const results: RowResult[] = [];
  for (const [brokers, group] of Map.groupBy(rows, (row): Brokers => row.brokers)) {
    const rig = await startRig({ brokers, name: `faults-${brokers}`, ...(plan.outageMs < PATIENT_FROM_MS && { env: SHORT_PATIENCE }) });
    try {
      for (const row of group) {
        for (let seed = 1; seed <= seeds; seed += 1) {
          const result = await runRow(rig, { row, plan, seed });
          results.push(result);
          tell(describeResult(result));
          if (result.violations.length > 0) keepLedger(result);
        }
      }
    } finally {
      await rig.stop();
    }
  }
  return results;
}

function readArguments(words: readonly string[]): Arguments | null {
  const options = new Map<string, number>();
  const names: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!word.startsWith('--')) names.push(word);
    else options.set(word.slice(2), Number(words[(at += 1)]));
  }
  const [suite = '', ...ids] = names;
  const all = SUITES[suite];
  if (all === undefined || [...options].some(([name, value]) => !['seeds', 'seconds', 'rate'].includes(name) || !(value > 0))) return null;
  const rows = all.filter(({ id }) => ids.length === 0 || ids.includes(id));
  if (ids.some((id) => !rows.some((row) => row.id === id))) return null;
  const seconds = options.get('seconds');
  const plan = { ...LONG_PLAN, requestsPerSecond: options.get('rate') ?? LONG_PLAN.requestsPerSecond, ...(seconds !== undefined && { outageMs: seconds * 1000, kills: Math.min(LONG_PLAN.kills, seconds) }) };
  return { suite, rows, seeds: options.get('seeds') ?? 1, plan };
}
