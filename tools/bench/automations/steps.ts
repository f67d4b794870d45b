import { handleChanges, handleTimers, type StepObserver } from '@tidings/automations/shard-step';
import { AUTOMATIONS_GROUP } from '@tidings/contracts/topics';
import { applyEventMessages } from '@tidings/events-consumer/apply-event-messages';
import { createCursors } from '@tidings/partitioned-log/cursors';
import { applyRecords } from '@tidings/testing';
import { readUserChangesTopic, SHARDS } from '@tidings/user-changes/changes';
import type { FreshDatabase } from '../delivery/fresh-database.ts';
import { TYPICAL_MESSAGES } from '../ingest/peak.ts';
import { backendCpu } from '../installation/backend-cpu.ts';
import type { Figure, Goal, PartReport } from '../report/figures.ts';
import { median } from '../report/median.ts';
import { activateCart, countMessages, countWaiting, makeCarts, passTime } from './cart.ts';
import { readWal } from './read-wal.ts';
import type { StepSizes } from './sizes.ts';

const MICROSECONDS = 1_000_000;
const HOUR_MS = 3_600_000;
/** Seconds of a CPU and bytes of WAL, for each event, entry or step. */
type Cost = { readonly postgres: number; readonly engine: number; readonly wal: number };
type Round = { readonly event: Cost; readonly entry: Cost; readonly step: Cost };

/**
 * What an entry and a step with a message cost Postgres, beside storing an event in the same round.
 * Throws if a run is missing or a message was not appended: the figure would be of less work.
 */
export async function measureSteps(database: FreshDatabase, sizes: StepSizes): Promise<PartReport> {
  const { topicId } = await readUserChangesTopic(database.db.sql);
  await createCursors(database.db.sql, { group: AUTOMATIONS_GROUP, topicId });
  await activateCart(database);
  const run = { topicId, database, sizes };
  const rounds: Round[] = [];
  // The first round makes plans and pages.
  for (let round = 0; round <= sizes.rounds; round += 1) {
    console.error(`  ${entriesOf(sizes)} entries and steps, ${round} of ${sizes.rounds} …`);
    const measured = await measureRound(run, round);
    if (round > 0) rounds.push(measured);
  }
  return {
    title: `An entry and a step with a message (${entriesOf(sizes)} a round, ${Math.round(entriesOf(sizes) / SHARDS)} a shard)`,
    figures: [
      ...figuresOf('event', rounds),
      ...figuresOf('entry', rounds, { atMost: 1.5 }),
      ...figuresOf('step', rounds, { atMost: 2.5 }),
    ],
    data: { rounds },
  };
}

const NAMES = {
  event: 'storing an event',
  entry: 'an entry',
  step: 'a step with a message',
} as const;

function figuresOf(what: keyof Round, rounds: readonly Round[], goal?: Goal): Figure[] {
  const of = (which: keyof Cost): number => median(rounds.map((round) => round[what][which]));
  const ratios = rounds.map((round) => round[what].postgres / round.event.postgres);
  return [
    {
      name: `CPU of Postgres, ${NAMES[what]}`,
      value: of('postgres') * MICROSECONDS,
      unit: 'microseconds',
    },
    {
      name: `CPU of the process, ${NAMES[what]}`,
      value: of('engine') * MICROSECONDS,
      unit: 'microseconds',
    },
    { name: `WAL, ${NAMES[what]}`, value: of('wal'), unit: 'bytes' },
    ...(goal === undefined
      ? []
      : [
          {
            name: `CPU of Postgres, ${NAMES[what]} : ${NAMES.event}`,
            value: median(ratios),
            unit: 'ratio' as const,
            goal,
            note: `rounds: ${ratios.map((one) => one.toFixed(2)).join(', ')}`,
          },
        ]),
  ];
}

type Run = {
  readonly database: FreshDatabase;
  readonly sizes: StepSizes;
  readonly topicId: number;
};

const entriesOf = ({ transactions, requestsPerTransaction }: StepSizes): number =>
  transactions * requestsPerTransaction;

async function measureRound(run: Run, round: number): Promise<Round> {
  const { database, sizes } = run;
  const entries = entriesOf(sizes);
  const batches = Array.from({ length: sizes.transactions }, (_, n) =>
    makeCarts(database.applicationId, {
      from: round * entries + n * sizes.requestsPerTransaction,
      count: sizes.requestsPerTransaction,
      users: sizes.users,
    }),
  );
  const event = await costOf(database, entries * TYPICAL_MESSAGES, async () => {
    for (const records of batches)
      await applyRecords(
        database.worker,
        { consumer: 'events', apply: applyEventMessages },
        records,
      );
  });
  const entry = await costOf(database, entries, () => eachShard(run, handleChanges));
  expectAll(entries, await countWaiting(database));
  await passTime(database, HOUR_MS);
  const before = await countMessages(database);
  const step = await costOf(database, entries, () => eachShard(run, handleTimers));
  expectAll(entries, (await countMessages(database)) - before);
  return { event, entry, step };
}

async function costOf(
  { worker, db }: FreshDatabase,
  times: number,
  work: () => Promise<void>,
): Promise<Cost> {
  const [wal, postgres] = [await readWal(db.sql), await backendCpu(worker)];
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return {
    postgres: ((await backendCpu(worker)) - postgres) / times,
    engine: (user + system) / MICROSECONDS / times,
    wal: ((await readWal(db.sql)) - wal) / times,
  };
}

function expectAll(expected: number, found: number): void {
  if (found !== expected) throw new Error(`${found} of ${expected}`);
}

function fail(error: unknown): never {
  throw error;
}
const OBSERVER: StepObserver = {
  onFailure: fail,
  onEntryFailure: fail,
  onSegmentFailure: fail,
  onPutOff: (automationId) => fail(new Error(`${automationId} was put off`)),
  onUnreadable: (changes) => fail(new Error(`${changes} changes cannot be read`)),
};

async function eachShard(
  { database: { worker }, topicId }: Run,
  step: typeof handleChanges,
): Promise<void> {
  for (let shard = 0; shard < SHARDS; shard += 1)
    while (((await step(worker, { topicId, shard }, OBSERVER))?.handled ?? 0) > 0);
}
