import { activateAutomation, writeAutomation } from '@tidings/automations/automations';
import { handleChanges, handleTimers, type StepObserver } from '@tidings/automations/shard-step';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { IngestMessage } from '@tidings/contracts/ingest/ingest';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { AUTOMATIONS_GROUP } from '@tidings/contracts/topics';
import { applyEventMessages } from '@tidings/events-consumer/apply-event-messages';
import { createDefinition } from '@tidings/events/definitions/definitions';
import { createCursors } from '@tidings/partitioned-log/cursors';
import { actionMessage, applyRecords, ingestRecord } from '@tidings/testing';
import { readUserChangesTopic, SHARDS } from '@tidings/user-changes/changes';
import type { FreshDatabase } from '../delivery/fresh-database.ts';
import { TYPICAL_MESSAGES } from '../ingest/peak.ts';
import { backendCpu } from '../installation/backend-cpu.ts';
import type { Figure, Goal, PartReport } from '../report/figures.ts';
import { median } from '../report/median.ts';
import { readWal } from './read-wal.ts';
import type { StepSizes } from './sizes.ts';

const MICROSECONDS = 1_000_000;
const TRIGGER = 'cartd';
/** Events of a request beside the trigger. */
const OTHERS = ['order', 'view', 'search', 'visit'] as const;

/** Each who fills a cart waits an hour, is asked about their orders and a value, and gets a mail. */
const CART: AutomationDefinition = {
  version: 1,
  name: 'Cart',
  purpose: 'transactional',
  trigger: { event: { kind: 'action', name: TRIGGER }, where: [{ attribute: 'price', gte: 0 }] },
  filter: { reachable: 'EMAIL', purpose: 'transactional' },
  entry: { again: 'always' },
  exit: [{ event: { kind: 'action', name: 'order' }, as: 'goal' }],
  nodes: [
    { id: 'hour', delay: '1h' },
    {
      id: 'visitor',
      if: { attribute: 'visits', gt: 0 },
      // Computed key: an object literal with `then` would look like a promise.
      ['then' as const]: [
        {
          id: 'mail',
          send: {
            channel: 'EMAIL',
            message: { title: 'Still there?', body: 'It costs {{ event.attributes.price }}.' },
          },
        },
      ],
      else: [],
    },
  ],
};

/** Seconds of a CPU and bytes of WAL, for each event, entry or step. */
type Cost = { readonly postgres: number; readonly engine: number; readonly wal: number };
type Round = { readonly event: Cost; readonly entry: Cost; readonly step: Cost };

/**
 * What an entry and a step with a message cost Postgres, beside storing an event in the same round.
 * Throws if a run is missing or a message was not appended: the figure would be of less work.
 */
export async function measureSteps(database: FreshDatabase, sizes: StepSizes): Promise<PartReport> {
  const run = { ...(await activate(database)), database, sizes };
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

async function activate({ db, applicationId }: FreshDatabase): Promise<{ topicId: number }> {
  const { topicId } = await readUserChangesTopic(db.sql);
  await createCursors(db.sql, { group: AUTOMATIONS_GROUP, topicId });
  for (const name of [TRIGGER, ...OTHERS])
    await createDefinition(db, { applicationId, name, kind: 'action' });
  const automation = { applicationId, slug: 'cart', by: 'bench' };
  const written = await writeAutomation(db, { ...automation, definition: CART });
  if (typeof written === 'string' || 'errors' in written)
    throw new Error(`the automation was refused: ${JSON.stringify(written)}`);
  const changed = await activateAutomation(db, { ...automation, inFlight: 'keep' });
  if (!('automation' in changed)) throw new Error(`not active: ${JSON.stringify(changed)}`);
  return { topicId };
}

async function measureRound(run: Run, round: number): Promise<Round> {
  const { database, sizes } = run;
  const entries = entriesOf(sizes);
  const batches = Array.from({ length: sizes.transactions }, (_, n) =>
    makeRecords(run, round * entries + n * sizes.requestsPerTransaction),
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
  await expectCount(
    database,
    entries,
    `select count(*)::int as n from automation_runs
    where application_id = $1 and status = 'active' and node = 'hour'`,
  );
  await passAnHour(database);
  const before = await count(database, MESSAGES);
  const step = await costOf(database, entries, () => eachShard(run, handleTimers));
  await expectCount(database, before + entries, MESSAGES);
  return { event, entry, step };
}

const MESSAGES = `select coalesce(sum(recipients_unique), 0)::int as n from campaigns
  where application_id = $1 and automation_id is not null`;

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

function fail(error: unknown): never {
  throw error;
}
const OBSERVER: StepObserver = {
  onFailure: fail,
  onEntryFailure: fail,
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

/** Timers and waits end an hour earlier. */
async function passAnHour({ db, applicationId }: FreshDatabase): Promise<void> {
  await db.sql.query(
    `update automation_timers set due_at = due_at - interval '1 hour' where application_id = $1`,
    [applicationId],
  );
  await db.sql.query(
    `update automation_runs set waits_until = waits_until - interval '1 hour' where application_id = $1 and status = 'active'`,
    [applicationId],
  );
}

async function count({ db, applicationId }: FreshDatabase, statement: string): Promise<number> {
  const { rows } = await db.sql.query<{ n: number }>(statement, [applicationId]);
  return rows[0]?.n ?? NaN;
}

async function expectCount(
  database: FreshDatabase,
  expected: number,
  statement: string,
): Promise<void> {
  const found = await count(database, statement);
  if (found !== expected) throw new Error(`${found} in place of ${expected}: ${statement}`);
}

/** Of no other event: two of one user at one time are duplicates. */
let time = Date.now() - 3_000_000;

/** Requests of one person each, with one trigger; no person twice in a round. */
function makeRecords(
  { database: { applicationId }, sizes: { users, requestsPerTransaction } }: Run,
  from: number,
): IngestRecord[] {
  return Array.from({ length: requestsPerTransaction }, (_, index) =>
    ingestRecord({
      applicationId,
      customUserId: `user-${String((from + index) % users).padStart(8, '0')}`,
      messages: Array.from({ length: TYPICAL_MESSAGES }, (_unused, n): IngestMessage => {
        const customName = n === 0 ? TRIGGER : OTHERS[1 + (n % (OTHERS.length - 1))];
        time += 0.001;
        return actionMessage({
          customName,
          time: Math.round(time) - n,
          attributes: { price: n, item: 'a thing' },
        });
      }),
    }),
  );
}
