import type { IngestMessage } from '@tidings/contracts/ingest/ingest';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { applyEventMessages } from '@tidings/events-consumer/apply-event-messages';
import type { Sql } from '@tidings/postgres/database';
import { actionMessage, applyRecords, ingestRecord } from '@tidings/testing';
import { setListens } from '@tidings/user-changes/listens';
import type { FreshDatabase } from '../delivery/fresh-database.ts';
import { TYPICAL_MESSAGES } from '../ingest/peak.ts';
import { backendCpu } from '../installation/backend-cpu.ts';
import type { Figure, Goal, PartReport } from '../report/figures.ts';
import { median } from '../report/median.ts';
import { readWal } from './read-wal.ts';
import type { ChangeSizes } from './sizes.ts';

const MICROSECONDS = 1_000_000;
/** As many events of each name: one of them is a fifth. */
const NAMES = ['cart', 'order', 'view', 'search', 'visit'] as const;

/** How a consumer stores the same events. */
type Way = {
  readonly name: string;
  /** How many of the names the application listens to. */
  readonly listened: number;
  /** Whether the consumer reads what its applications listen to. */
  readonly reads: boolean;
  readonly goals: { readonly wal?: Goal; readonly cpu?: Goal };
};
const BEFORE: Way = { name: 'without changes', listened: 0, reads: false, goals: {} };
const WAYS: readonly Way[] = [
  BEFORE,
  {
    name: 'nothing listened to',
    listened: 0,
    reads: true,
    goals: { wal: { atMost: 1.01 }, cpu: { atMost: 1.05 } },
  },
  {
    name: 'a fifth',
    listened: 1,
    reads: true,
    goals: { wal: { atMost: 1.03 }, cpu: { atMost: 1.1 } },
  },
  { name: 'everything', listened: NAMES.length, reads: true, goals: {} },
];

/** Of an event. */
type Cost = { readonly walBytes: number; readonly postgres: number; readonly consumer: number };
type Round = ReadonlyMap<Way['name'], Cost>;

export type ChangeRun = Omit<ChangeSizes, 'requestsPerSmallTransaction'> & {
  readonly hasGoals?: boolean;
};

/**
 * What an event costs the events consumer and Postgres, by what the application listens to, beside
 * the same without that read. The ways take turns, one transaction each, so that all meet tables of
 * the same size.
 */
export async function measureChanges(
  database: FreshDatabase,
  sizes: ChangeRun,
): Promise<PartReport> {
  const events = sizes.transactions * sizes.requestsPerTransaction * TYPICAL_MESSAGES;
  const run = { database, sizes, slugs: await warmUp(database, sizes) };
  const rounds: Round[] = [];
  for (let round = 1; round <= sizes.rounds; round += 1) {
    console.error(`  ${events} events each way, ${round} of ${sizes.rounds} …`);
    rounds.push(await measureRound(run, round));
  }
  return {
    title: `Storing an event (${events} a round, ${sizes.requestsPerTransaction * TYPICAL_MESSAGES} a transaction)`,
    figures: WAYS.flatMap((way) =>
      figuresOf(sizes.hasGoals === false ? { ...way, goals: {} } : way, rounds),
    ),
    data: { rounds: rounds.map((round) => Object.fromEntries(round)) },
  };
}

function figuresOf(way: Way, rounds: readonly Round[]): Figure[] {
  const of = (which: keyof Cost, { name } = way): number[] =>
    rounds.map((round) => round.get(name)?.[which] ?? NaN);
  const absolute: Figure[] = [
    { name: `WAL, ${way.name}`, value: median(of('walBytes')), unit: 'bytes' },
    {
      name: `CPU of Postgres, ${way.name}`,
      value: median(of('postgres')) * MICROSECONDS,
      unit: 'microseconds',
    },
    {
      name: `CPU of the consumer, ${way.name}`,
      value: median(of('consumer')) * MICROSECONDS,
      unit: 'microseconds',
    },
  ];
  if (way.name === BEFORE.name) return absolute;
  const ratio = (name: string, which: keyof Cost, goal?: Goal): Figure => {
    const before = of(which, BEFORE);
    const ratios = of(which).map((value, index) => value / (before[index] ?? NaN));
    return {
      name: `${name}, ${way.name} : without`,
      value: median(ratios),
      unit: 'ratio',
      goal,
      note: `rounds: ${ratios.map((one) => one.toFixed(3)).join(', ')}`,
    };
  };
  return [
    ...absolute,
    ratio('WAL', 'walBytes', way.goals.wal),
    ratio('CPU of Postgres', 'postgres', way.goals.cpu),
  ];
}

type Run = {
  readonly database: FreshDatabase;
  readonly sizes: ChangeRun;
  readonly slugs: readonly string[];
};

/**
 * Makes the definitions and the plans, and changes pages for the first time, which costs more WAL.
 * Returns the slugs.
 */
async function warmUp(database: FreshDatabase, sizes: ChangeRun): Promise<string[]> {
  for (let n = 0; n < sizes.transactions; n += 1) await store({ database, sizes }, BEFORE);
  const { rows } = await database.db.sql.query<{ slug: string }>(
    'select slug from definitions where application_id = $1 order by name',
    [database.applicationId],
  );
  return rows.map(({ slug }) => slug);
}

async function measureRound(run: Run, round: number): Promise<Round> {
  const { sizes, slugs, database } = run;
  const sums = new Map(WAYS.map((way) => [way, { walBytes: 0, postgres: 0, consumer: 0 }]));
  for (let n = 0; n < sizes.transactions; n += 1)
    for (const index of WAYS.keys()) {
      // Each way follows each other one.
      const way = WAYS[(index + n + round) % WAYS.length] ?? BEFORE;
      const { applicationId, db } = database;
      await setListens(db.sql, applicationId, slugs.slice(0, way.listened));
      const cost = await store(run, way);
      const sum = sums.get(way) ?? cost;
      sum.walBytes += cost.walBytes;
      sum.postgres += cost.postgres;
      sum.consumer += cost.consumer;
    }
  const events = sizes.transactions * sizes.requestsPerTransaction * TYPICAL_MESSAGES;
  return new Map(
    [...sums].map(([way, { walBytes, postgres, consumer }]) => [
      way.name,
      {
        walBytes: walBytes / events,
        postgres: postgres / events,
        consumer: consumer / events,
      },
    ]),
  );
}

/** Stores new events in one transaction, as the consumer does. */
async function store(
  { database, sizes }: Pick<Run, 'database' | 'sizes'>,
  way: Way,
): Promise<{ walBytes: number; postgres: number; consumer: number }> {
  const { worker, db } = database;
  const records = makeRecords(database.applicationId, sizes);
  const apply = (sql: Sql, taken: readonly IngestRecord[]): Promise<void> =>
    applyEventMessages(way.reads ? sql : withoutListens(sql), taken);
  const [walBefore, cpuBefore] = [await readWal(db.sql), await backendCpu(worker)];
  const before = process.cpuUsage();
  await applyRecords(worker, { consumer: 'events', apply }, records);
  const { user, system } = process.cpuUsage(before);
  return {
    postgres: (await backendCpu(worker)) - cpuBefore,
    walBytes: (await readWal(db.sql)) - walBefore,
    consumer: (user + system) / MICROSECONDS,
  };
}

/** A consumer that does not know changes: the read is answered here. */
function withoutListens(sql: Sql): Sql {
  const query = (text: string, values?: unknown[]): Promise<unknown> =>
    text.includes('from automation_listens')
      ? Promise.resolve({ rows: [], rowCount: 0 })
      : sql.query(text, values);
  return { query } as unknown as Sql;
}

/** Of no other event: two of one user at one time are duplicates. */
let time = Date.now() - 86_400_000;

function makeRecords(
  applicationId: string,
  { users, requestsPerTransaction }: ChangeRun,
): IngestRecord[] {
  return Array.from({ length: requestsPerTransaction }, () =>
    ingestRecord({
      applicationId,
      customUserId: `user-${String(1 + Math.floor(Math.random() * users)).padStart(8, '0')}`,
      messages: Array.from({ length: TYPICAL_MESSAGES }, (_, n): IngestMessage => {
        const customName = NAMES[n % NAMES.length] ?? '';
        time += 1;
        return actionMessage({ customName, time, attributes: { price: n, item: 'a thing' } });
      }),
    }),
  );
}
