import { comparePairs, renderComparison, type Pair } from '../against/compare.ts';
import type { Form } from '../installation/bench-installation.ts';
import type { Costs } from '../installation/costs.ts';
import { renderStoreSettings } from '../installation/store-settings.ts';
import { readCommit } from '../report/commit.ts';
import { mebibytes, type Figure, type Goal } from '../report/figures.ts';
import { machineFacts } from '../report/machine.ts';
import { writeResults } from '../report/write-results.ts';
import { measureForm, type FormRun, type Memory } from './measure-form.ts';
import { FULL, QUICK, type FormSizes } from './sizes.ts';

const MICROSECONDS = 1_000_000;
const STORES = ['Postgres', 'Kafka', 'Redis'] as const;
/** It replaces the providers, and no installation has it. */
const SANDBOX = 'sandbox';

/** Goals of one process beside the services. */
const RATIO_GOALS: Readonly<Record<string, Goal>> = { 'mails a second': { atLeast: 0.9 } };

/** Measures both forms of the installation in turn, and prints them beside each other. */
export async function benchForms({
  isQuick,
  pairs: count,
}: {
  readonly isQuick: boolean;
  readonly pairs: number;
}): Promise<void> {
  const machine = machineFacts();
  const sizes = isQuick ? QUICK : FULL;
  const pairs: Pair[] = [];
  const runs: FormRun[] = [];
  for (let pair = 1; pair <= (isQuick ? 1 : count); pair += 1) {
    const measure = async (form: Form): Promise<readonly Figure[]> => {
      console.error(`${form}, pair ${pair} …`);
      const run = await measureForm(form, sizes);
      runs.push(run);
      return toFigures(run, sizes);
    };
    pairs.push({ here: await measure('one process'), there: await measure('services') });
  }
  const comparisons = comparePairs(pairs, RATIO_GOALS);
  console.log(
    renderComparison(`one process on Postgres beside services on Kafka`, comparisons, {
      here: 'one process',
      there: 'services',
    }),
  );
  console.log(
    `\n${machine.cores} cores, ${machine.processor}, Node ${machine.node}, load ${machine.loadAtStart.toFixed(1)} at the start${isQuick ? '; --quick: the figures mean nothing' : ''}`,
  );
  for (const { stores } of runs.slice(0, 2)) console.log(renderStoreSettings(stores));
  console.log(`Commit: ${readCommit()}\nSizes: ${JSON.stringify(sizes)}`);
  writeResults('forms', {
    at: new Date().toISOString(),
    machine,
    isQuick,
    sizes,
    comparisons,
    runs,
  });
}

function toFigures(
  { idle, mails, events, acceptance, memoryAtEnd }: FormRun,
  { requestsPerSecond }: FormSizes,
): readonly Figure[] {
  return [
    {
      name: 'idle memory of the services',
      value: mebibytes(memoryOfServices(idle.memory)),
      unit: 'mebibytes',
      goal: { atMost: 250 },
    },
    {
      name: 'idle memory, stores included',
      value: mebibytes(memoryOfAll(idle.memory)),
      unit: 'mebibytes',
      goal: { atMost: 450 },
    },
    {
      name: 'idle memory of the sandbox',
      value: mebibytes(idle.memory[SANDBOX] ?? NaN),
      unit: 'mebibytes',
      goal: { atMost: 50 },
    },
    { name: 'idle CPU, of one core', value: idle.cpuShare * 100, unit: 'percent' },
    {
      name: 'memory of the services after all loads',
      value: mebibytes(memoryOfServices(memoryAtEnd)),
      unit: 'mebibytes',
    },
    {
      name: 'memory after all loads, stores included',
      value: mebibytes(memoryOfAll(memoryAtEnd)),
      unit: 'mebibytes',
    },
    { name: 'mails a second', value: mails.perSecond, unit: 'perSecond' },
    { name: 'CPU of a mail', value: cpuOf(mails.costs), unit: 'microseconds' },
    {
      name: 'events stored a second',
      value: events.perSecond,
      unit: 'perSecond',
      goal: { atLeast: 15_000 },
    },
    { name: 'CPU of an event', value: cpuOf(events.costs), unit: 'microseconds' },
    { name: 'WAL of an event', value: events.costs.walBytes, unit: 'bytes' },
    {
      name: `accepted of ${requestsPerSecond} requests a second`,
      value: (acceptance.accepted / acceptance.due) * 100,
      unit: 'percent',
    },
    { name: 'acceptance p50', value: acceptance.latency.p50Ms, unit: 'ms' },
    {
      name: 'acceptance p99',
      value: acceptance.latency.p99Ms,
      unit: 'ms',
      goal: { atMost: 30 },
    },
  ];
}

/** Of all processes but the sink. */
function cpuOf({ cpuSeconds }: Costs): number {
  const { sink: _sink, ...own } = cpuSeconds;
  return Object.values(own).reduce((sum, seconds) => sum + seconds, 0) * MICROSECONDS;
}

function memoryOfAll({ [SANDBOX]: _sandbox, ...own }: Memory): number {
  return Object.values(own).reduce((sum, bytes) => sum + bytes, 0);
}

function memoryOfServices(memory: Memory): number {
  return STORES.reduce((sum, store) => sum - (memory[store] ?? 0), memoryOfAll(memory));
}
