import { setTimeout as delay } from 'node:timers/promises';
import {
  costFigures,
  costsBetween,
  readCounters,
  type Costs,
  type Counters,
} from '../../installation/costs.ts';
import { watchMemory } from '../../installation/memory-watch.ts';
import { INGEST_CONSUMERS } from '../../installation/ingest-lag.ts';
import { mebibytes, type Figure, type PartReport } from '../../report/figures.ts';
import { median } from '../../report/median.ts';
import type { IngestBench } from '../ingest-bench.ts';
import { emptyTables, timeCopy } from '../copy-baseline.ts';
import { withEmptyKeys } from '../key-tables.ts';
import { TYPICAL_MESSAGES } from '../peak.ts';

const SHARE_OF_COPY_LEAST_PERCENT = 50;
const WITH_KEYS_LEAST_PERCENT = 85;
const CONNECTIONS = 50;
const PRODUCE_WITHIN_MS = 120_000;
const CONSUME_WITHIN_MS = 300_000;
const LOOK_EVERY_MS = 200;

type Consumed = {
  readonly records: number;
  readonly seconds: number;
  readonly residentBytes: readonly number[];
  readonly perSecond: number;
  readonly costs: Costs;
};
type Round = {
  /** Without a message key at the start. */ readonly empty: Consumed;
  readonly copyPerSecond: number;
  /** With the kept message keys; undefined if there are none. */
  readonly withKeys: Consumed | undefined;
};

/**
 * Events per second that the consumers store from a backlog: without message keys at the start,
 * compared with COPY of the same rows, and with the kept message keys; in alternating rounds.
 */
export async function measureConsumers(run: IngestBench): Promise<PartReport> {
  const events = run.durations.backlogRequests * TYPICAL_MESSAGES;
  const rounds: Round[] = [];
  for (let round = 1; round <= run.durations.backlogRounds; round += 1) {
    console.error(`  ${events} events, ${round} of ${run.durations.backlogRounds} …`);
    rounds.push(await measureRound(run, events));
  }
  const shares = rounds.map(({ empty, copyPerSecond }) => (empty.perSecond / copyPerSecond) * 100);
  const memoryAtMost = (index: number): number =>
    Math.max(
      ...rounds.flatMap(({ empty, withKeys }) =>
        [empty, withKeys].map((consumed) => consumed?.residentBytes[index] ?? 0),
      ),
    );
  return {
    title: `From a backlog to rows in Postgres (${events} events, ${TYPICAL_MESSAGES} a request)`,
    figures: [
      {
        name: 'share of COPY',
        value: median(shares),
        unit: 'percent',
        goal: { atLeast: SHARE_OF_COPY_LEAST_PERCENT },
        note: `rounds: ${shares.map((share) => share.toFixed(1)).join(', ')}`,
      },
      {
        name: 'events stored',
        value: median(rounds.map(({ empty }) => empty.perSecond)),
        unit: 'perSecond',
      },
      ...costFigures(
        rounds.map(({ empty }) => empty.costs),
        'event',
      ),
      {
        name: 'events by COPY',
        value: median(rounds.map(({ copyPerSecond }) => copyPerSecond)),
        unit: 'perSecond',
        note: 'request, receipts, keys and events, one table at a time',
      },
      ...withKeysFigures(rounds, run.bench.rows.counts.messageKeys),
      ...INGEST_CONSUMERS.map((name, index) => ({
        name: `maximum memory of ${name}`,
        value: mebibytes(memoryAtMost(index)),
        unit: 'mebibytes' as const,
      })),
    ],
    data: { events, rounds },
  };
}

function withKeysFigures(rounds: readonly Round[], keys: number): readonly Figure[] {
  const both = rounds.flatMap(({ empty, withKeys }) =>
    withKeys === undefined ? [] : [{ empty, withKeys }],
  );
  if (both.length === 0) return [];
  const shares = both.map(({ empty, withKeys }) => (withKeys.perSecond / empty.perSecond) * 100);
  return [
    {
      name: `with ${keys} message keys : without`,
      value: median(shares),
      unit: 'percent',
      goal: { atLeast: WITH_KEYS_LEAST_PERCENT },
      note: `rounds: ${shares.map((share) => share.toFixed(1)).join(', ')}`,
    },
    {
      name: `events stored, with ${keys} message keys`,
      value: median(both.map(({ withKeys }) => withKeys.perSecond)),
      unit: 'perSecond',
    },
    ...costFigures(
      both.map(({ withKeys }) => withKeys.costs),
      'event with these keys',
    ),
  ];
}

async function measureRound(run: IngestBench, events: number): Promise<Round> {
  const { bench } = run;
  await stopAtRest(run);
  const { empty, copySeconds } = await withEmptyKeys(bench.db, async () => ({
    empty: await storeBacklog(run, events),
    copySeconds: await timeCopy(bench.db),
  }));
  return {
    empty,
    copyPerSecond: events / copySeconds,
    withKeys: bench.rows.counts.messageKeys === 0 ? undefined : await storeBacklog(run, events),
  };
}

async function stopAtRest(run: IngestBench): Promise<void> {
  await run.settle();
  await run.bench.stopConsumers();
}

/** The consumers are stopped before and after. */
async function storeBacklog(run: IngestBench, events: number): Promise<Consumed> {
  const { bench } = run;
  await emptyTables(bench.db);
  await produceBacklog(run);
  const consumed = await consumeBacklog(run);
  const stored = await bench.db.sql.query<{ n: number }>('select count(*)::int as n from events');
  if (stored.rows[0]?.n !== events)
    throw new Error(`${events} events were accepted and ${stored.rows[0]?.n} are stored`);
  await bench.stopConsumers();
  return consumed;
}

async function produceBacklog({ bench, durations }: IngestBench): Promise<void> {
  const { users } = bench.rows.counts;
  const target = bench.target({
    messagesPerRequest: TYPICAL_MESSAGES,
    hasScatteredIds: true,
    ...(users > 0 && { users }),
  });
  const arrival = {
    type: 'closed',
    connections: CONNECTIONS,
    requestsMax: durations.backlogRequests,
  } as const;
  const { streams } = await bench.generator.run({
    streams: [{ name: 'backlog', target, arrival }],
    warmUpMs: 0,
    measuredMs: PRODUCE_WITHIN_MS,
  });
  const accepted = streams[0]?.accepted ?? 0;
  if (accepted !== durations.backlogRequests)
    throw new Error(`the backlog was not accepted: ${JSON.stringify(streams)}`);
}

/** Starts timing at the first stored records, so that process start and group join do not count. */
async function consumeBacklog({ bench }: IngestBench): Promise<Consumed> {
  const backlog = await bench.lag.read();
  await bench.startConsumers();
  const memory = watchMemory(INGEST_CONSUMERS.map((name) => bench.metricsUrl(name)));
  const deadline = performance.now() + CONSUME_WITHIN_MS;
  let first: { at: number; left: number; counters: Counters } | undefined;
  for (;;) {
    const left = await bench.lag.read();
    const at = performance.now();
    if (left < backlog) first ??= { at, left, counters: await readCounters(bench) };
    if (first !== undefined && left === 0) {
      const events = first.left * TYPICAL_MESSAGES;
      const seconds = (at - first.at) / 1000;
      return {
        records: first.left,
        seconds,
        perSecond: events / seconds,
        costs: costsBetween(first.counters, await readCounters(bench), events),
        residentBytes: await memory.stop(),
      };
    }
    if (at > deadline)
      throw new Error(`${left} records are left after ${CONSUME_WITHIN_MS / 1000} s`);
    await delay(LOOK_EVERY_MS);
  }
}
