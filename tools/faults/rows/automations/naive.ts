import { randomUUID } from 'node:crypto';
import { eventually } from '@tidings/testing';
import { startBaselineWorker, type BaselineWorker } from '../../baseline/start-baseline-worker.ts';
import { CARTS } from '../../load/automations/carts.ts';
import { SEND_CONCURRENCY } from '../../rigs/delivery-rig.ts';
import { runFor } from '../steps.ts';
import type { AutomationsRow, AutomationsRun } from './automations-row.ts';

const SENDS_WITHIN_MS = 60_000;
const DONE_WITHIN_MS = 600_000;
const PAUSE_MS = 1_000;
/** With its start: something is to be due at each kill. */
const KILL_SECONDS = 3;

export const naiveEngineKilled: AutomationsRow = {
  id: 'A4b',
  fault: 'as many kills of an engine that reads, sends and then marks, for comparison',
  brokers: 1,
  isQuiet: true,
  isComparison: true,
  async inject(run) {
    const timers = run.plan.users * CARTS;
    const campaign = await makeTimers(run, timers);
    const engine = startBaselineWorker(
      {
        databaseUrl: run.rig.addresses.databaseUrl,
        smtpPort: run.rig.proxies.providers.EMAIL.port,
        concurrency: SEND_CONCURRENCY,
      },
      'naive-engine.ts',
    );
    try {
      await killWhileItSends(run, engine);
      await untilDone(run, campaign);
    } finally {
      engine.stop();
    }
    const arrived = Map.groupBy(
      run.rig.sandbox.accepted().filter((message) => message.campaignId === campaign),
      ({ deliveryId }) => deliveryId,
    );
    const repeats = [...arrived.values()].reduce((sum, { length }) => sum + length - 1, 0);
    if (repeats === 0)
      run.violations.push({
        oracle: 'sent once',
        what: 'the naive engine repeated nothing: the kills have no effect',
      });
    Object.assign(run.cells, {
      runs: timers,
      mails: arrived.size,
      repeats,
      missing: timers - arrived.size,
    });
  },
};

/** They are due one after another, as those of the automation are. */
async function makeTimers({ rig, plan }: AutomationsRun, count: number): Promise<string> {
  const { sql } = rig.db;
  await sql.query(
    `create table if not exists naive_timers (id uuid primary key, campaign text not null, address text not null, due_at timestamptz not null, is_done boolean not null default false)`,
  );
  await sql.query(
    'create index if not exists naive_timers_due on naive_timers (due_at) where not is_done',
  );
  const campaign = randomUUID();
  await sql.query(
    `insert into naive_timers (id, campaign, address, due_at)
     select gen_random_uuid(), $1, 'user-' || n || '@baseline.example', now() + n * $3::float8 * interval '1 second' from generate_series(1, $2::int) as n`,
    [campaign, count, Math.max(1 / plan.requestsPerSecond, (plan.kills * KILL_SECONDS) / count)],
  );
  return campaign;
}

async function killWhileItSends(run: AutomationsRun, engine: BaselineWorker): Promise<void> {
  for (let kill = 0; kill < run.plan.kills; kill += 1) {
    const before = engine.sent();
    await eventually(
      () => {
        if (engine.sent() === before) throw new Error('the naive engine sends nothing');
      },
      { timeoutMs: SENDS_WITHIN_MS, intervalMs: 10 },
    );
    await runFor(run, 0, PAUSE_MS);
    engine.kill();
  }
}

async function untilDone({ rig }: AutomationsRun, campaign: string): Promise<void> {
  await eventually(
    async () => {
      const { rows } = await rig.db.sql.query<{ n: number }>(
        'select count(*)::int as n from naive_timers where campaign = $1 and not is_done',
        [campaign],
      );
      if (rows[0]?.n !== 0) throw new Error(`the naive engine has ${rows[0]?.n} timers left`);
    },
    { timeoutMs: DONE_WITHIN_MS, intervalMs: 250 },
  );
}
