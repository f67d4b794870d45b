import { setTimeout as delay } from 'node:timers/promises';
import { applyEventMessages } from '@tidings/events-consumer/apply-event-messages';
import { callApi } from '@tidings/local';
import { connectDatabase, type Database } from '@tidings/postgres/database';
import { applyRecords } from '@tidings/testing';
import { CONNECTION_OF } from '../delivery/channels.ts';
import type { Sink } from '../delivery/sink/start-sink.ts';
import type { BenchInstallation } from '../installation/bench-installation.ts';
import { watchMemory } from '../installation/memory-watch.ts';
import { mebibytes, type Figure, type PartReport } from '../report/figures.ts';
import { percentile } from '../report/percentile.ts';
import { writeUsers } from '../rows/write-users.ts';
import { activateCart, countMessages, countWaiting, makeCarts, passTime } from './cart.ts';
import { holdShards } from './hold-shards.ts';
import type { EngineSizes } from './sizes.ts';

export const ENGINE = 'automation-engine';
const HOUR_MS = 3_600_000;
const POLL_MS = 50;
const WITHIN_MS = 300_000;
const REQUESTS_PER_TRANSACTION = 200;
const WARM_UP_MS = 5_000;
const CONNECTIONS_MAX = 200;

type Run = {
  readonly bench: BenchInstallation;
  /** One connection, for what is stored as consumers do; another holds the shards. */
  readonly db: Database;
  readonly holder: Database;
  readonly applicationId: string;
  readonly sizes: EngineSizes;
};

/** What engines do in a second, how late timers are, and how long a trigger takes to the provider. */
export async function measureEngines(
  bench: BenchInstallation,
  { sink, sizes }: { readonly sink: Sink; readonly sizes: EngineSizes },
): Promise<Record<string, PartReport>> {
  const { databaseUrl } = bench.tidings.local;
  const connect = (): Database =>
    connectDatabase({
      databaseUrl,
      poolMax: 1,
      applicationName: 'bench',
      statementTimeoutMs: WITHIN_MS,
    });
  const { applicationId } = bench.tenant;
  const run: Run = { bench, db: connect(), holder: connect(), applicationId, sizes };
  try {
    await writeUsers(bench.db, { applicationId, count: sizes.users });
    await configureEmail(bench, sink);
    await activateCart(run);
    return {
      rates: await measureRates(run),
      lateness: await measureLateness(run),
      latency: await measureLatency(run),
    };
  } finally {
    await Promise.all([run.db.close(), run.holder.close()]);
  }
}

async function configureEmail(bench: BenchInstallation, sink: Sink): Promise<void> {
  const { baseUrl, adminToken } = bench.tidings.local;
  const { settings, testAddress } = CONNECTION_OF.EMAIL(sink);
  const access = {
    baseUrl,
    headers: {
      Authorization: `Bearer ${adminToken}`,
      'X-Application-Id': bench.tenant.applicationId,
    },
  };
  const path = '/api/v1/channels/EMAIL';
  await callApi(access, { method: 'PUT', path, body: settings });
  await callApi(access, { method: 'POST', path: `${path}/test`, body: { to: testAddress } });
}

async function withEngines<T>(
  { bench: { tidings } }: Run,
  count: number,
  work: () => Promise<T>,
): Promise<T> {
  const names = Array.from({ length: count }, (_, n) => (n === 0 ? ENGINE : `${ENGINE}-${n + 1}`));
  for (const name of names) await tidings.supervisor.add({ name, program: ENGINE });
  const result = await work();
  for (const name of names) await tidings.supervisor.remove(name);
  return result;
}

/** @throws after `WITHIN_MS` */
async function until(isDone: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WITHIN_MS;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error(`not done in ${WITHIN_MS / 1000} s`);
    await delay(POLL_MS);
  }
}

/** Stores the triggers of as many people as events consumers do. */
async function storeCarts({ db, applicationId, sizes }: Run, count: number): Promise<void> {
  for (let from = 0; from < count; from += REQUESTS_PER_TRANSACTION)
    await applyRecords(
      db,
      { consumer: 'events', apply: applyEventMessages },
      makeCarts(applicationId, {
        from,
        count: Math.min(REQUESTS_PER_TRANSACTION, count - from),
        users: sizes.users,
      }),
    );
}

/** Of as many engines, which begin together. */
async function measureRates(run: Run): Promise<PartReport> {
  const { entries } = run.sizes;
  const figures: Figure[] = [];
  const rates = new Map<number, { readonly entries: number; readonly steps: number }>();
  for (const engines of [1, 2, 4]) {
    console.error(`  ${entries} entries and steps by ${engines} …`);
    const rate = await withEngines(run, engines, async () => {
      const sent = await countMessages(run);
      const entered = await secondsOf(
        run,
        () => storeCarts(run, entries),
        async () => (await countWaiting(run)) >= entries,
      );
      const stepped = await secondsOf(
        run,
        () => passTime(run, HOUR_MS),
        async () => (await countMessages(run)) >= sent + entries,
      );
      return { entries: entries / entered, steps: entries / stepped };
    });
    rates.set(engines, rate);
    const name = engines === 1 ? 'one engine' : `${engines} engines`;
    figures.push(
      { name: `entries, ${name}`, value: rate.entries, unit: 'perSecond' },
      { name: `steps with a message, ${name}`, value: rate.steps, unit: 'perSecond' },
    );
  }
  const [one, four] = [rates.get(1), rates.get(4)];
  return {
    title: `What engines do (${entries} at once)`,
    figures: [
      ...figures,
      {
        name: 'entries, four engines : one',
        value: (four?.entries ?? NaN) / (one?.entries ?? NaN),
        unit: 'ratio',
      },
      {
        name: 'steps, four engines : one',
        value: (four?.steps ?? NaN) / (one?.steps ?? NaN),
        unit: 'ratio',
      },
    ],
    data: { rates: Object.fromEntries(rates) },
  };
}

/** How long engines take for what is prepared while they have no shard. */
async function secondsOf(
  { holder }: Run,
  prepare: () => Promise<void>,
  isDone: () => Promise<boolean>,
): Promise<number> {
  const release = await holdShards(holder);
  await prepare().catch(async (error: unknown) => {
    await release();
    throw error;
  });
  await release();
  const from = performance.now();
  await until(isDone);
  return (performance.now() - from) / 1_000;
}

/** Timers of people who wait fall due one after the other. */
async function measureLateness(run: Run): Promise<PartReport> {
  const { db, applicationId, sizes } = run;
  const { timersPerSecond, timers } = sizes;
  console.error(`  ${timers} timers, ${timersPerSecond} a second …`);
  const { lateMs, memory } = await withEngines(run, 1, async () => {
    const sent = await countMessages(run);
    await storeCarts(run, timers);
    await until(async () => (await countWaiting(run)) >= timers);
    await db.sql.query(
      `create table bench_due as
       select id as run_id, now() + interval '2 s'
         + row_number() over (order by id) * interval '1 s' / $2::int as due_at
       from automation_runs where application_id = $1 and ended_at is null`,
      [applicationId, timersPerSecond],
    );
    await db.sql.query(
      `update automation_runs r set waits_until = b.due_at from bench_due b where b.run_id = r.id`,
    );
    await db.sql.query(
      `update automation_timers t set due_at = b.due_at from bench_due b where b.run_id = t.run_id`,
    );
    const watch = watchMemory([run.bench.metricsUrl(ENGINE)]);
    await until(async () => (await countMessages(run)) >= sent + timers);
    const [engine = NaN] = await watch.stop();
    const { rows } = await db.sql.query<{ late_ms: number }>(
      `select (extract(epoch from t.at - b.due_at) * 1000)::float8 as late_ms
       from bench_due b join automation_trace t on t.run_id = b.run_id
       where t.node = 'hour' and t.outcome = 'passed'`,
    );
    await db.sql.query('drop table bench_due');
    return { lateMs: rows.map((row) => row.late_ms), memory: engine };
  });
  if (lateMs.length !== timers) throw new Error(`${lateMs.length} of ${timers} timers`);
  return {
    title: `Timers, ${timersPerSecond} a second (${timers}), one engine`,
    figures: [
      { name: 'late, p50', value: percentile(lateMs, 50), unit: 'ms' },
      { name: 'late, p99', value: percentile(lateMs, 99), unit: 'ms', goal: { atMost: 2_000 } },
      { name: 'late, at most', value: Math.max(...lateMs), unit: 'ms' },
      {
        name: 'memory of the engine',
        value: mebibytes(memory),
        unit: 'mebibytes',
        goal: { atMost: 200 },
      },
    ],
    data: {},
  };
}

/** From the acceptance of an event to the answer of the provider. */
async function measureLatency(run: Run): Promise<PartReport> {
  const { bench, db, applicationId, sizes } = run;
  const { triggersPerSecond, triggerSeconds } = sizes;
  console.error(`  ${triggersPerSecond} triggers a second …`);
  await bench.startConsumers();
  const tookMs = await withEngines(run, 1, async () => {
    const sent = await countMessages(run);
    const target = bench.target({ users: sizes.users });
    const arrival = {
      type: 'open',
      requestsPerSecond: triggersPerSecond,
      connectionsMax: CONNECTIONS_MAX,
    } as const;
    const { streams } = await bench.generator.run({
      streams: [{ name: 'triggers', target, arrival }],
      warmUpMs: WARM_UP_MS,
      measuredMs: triggerSeconds * 1_000,
    });
    const due = streams[0]?.due ?? NaN;
    if (streams[0]?.accepted !== due)
      throw new Error(`not every trigger was accepted: ${JSON.stringify(streams)}`);
    await until(async () => (await countMessages(run)) >= sent + due);
    await until(async () => {
      const { rows } = await db.sql.query(
        `select from deliveries where application_id = $1 and state = 'pending' limit 1`,
        [applicationId],
      );
      return rows.length === 0;
    });
    const { rows } = await db.sql.query<{ ms: number }>(
      `select (extract(epoch from d.sent_at - r.trigger_received_at) * 1000)::float8 as ms
       from automation_runs r
         join automations a on a.id = r.automation_id and a.slug = 'at-once'
         join automation_trace t on t.run_id = r.id and t.outcome = 'sent'
         join deliveries d on d.id = t.delivery_id
       where r.application_id = $1
       order by r.trigger_received_at desc limit $2`,
      [applicationId, due],
    );
    return rows.map(({ ms }) => ms);
  });
  await bench.stopConsumers();
  return {
    title: `From the acceptance of an event to the provider's answer, ${triggersPerSecond} a second (${tookMs.length})`,
    figures: [
      { name: 'p50', value: percentile(tookMs, 50), unit: 'ms', goal: { atMost: 600 } },
      { name: 'p99', value: percentile(tookMs, 99), unit: 'ms', goal: { atMost: 2_000 } },
    ],
    data: {},
  };
}
