import { randomUUID } from 'node:crypto';
import { eventually } from '@tidings/testing';
import { startBaselineWorker, type BaselineWorker } from '../../baseline/start-baseline-worker.ts';
import { CLAIM_LEASE_MS, PROVIDER_TIMEOUT_MS, SEND_CONCURRENCY } from '../../rigs/delivery-rig.ts';
import { runFor } from '../steps.ts';
import type { DeliveryRow, DeliveryRun } from './delivery-row.ts';

const CHANNELS = ['EMAIL', 'SMS'] as const;
type BaselineChannel = (typeof CHANNELS)[number];

/** Kills per channel, the number of D4's breakpoints, besides random ones. */
const KILLS_PER_CHANNEL = 8;
const WITHIN_MS = 700;
const SENDS_WITHIN_MS = 30_000;
const DONE_WITHIN_MS = 180_000;

/** The same fault for a common worker, which leases rows and resends those not marked. */
export const baselineWorkerKilled: DeliveryRow = {
  id: 'D4b',
  fault: 'the same kills of a worker that leases and resends, for comparison',
  brokers: 1,
  isQuiet: true,
  isComparison: true,
  async inject(run) {
    const campaigns = await makeDeliveries(run);
    const workers = CHANNELS.map((channel) => startBaselineWorker(createTask(run, channel)));
    const startedAt = performance.now();
    try {
      await Promise.all(workers.map((worker) => killAgainAndAgain(run, worker)));
      const endedAt = performance.now();
      await untilDone(run, campaigns);
      run.notes.push(
        `${workers.length * countKills(run)} kills in ${Math.round((endedAt - startedAt) / 1000)} s`,
      );
      Object.assign(
        run.cells,
        await evaluate(run, { campaigns, normalMs: performance.now() - endedAt }),
      );
    } finally {
      for (const worker of workers) worker.stop();
    }
  },
};

function countKills({ plan }: DeliveryRun): number {
  return KILLS_PER_CHANNEL + Math.round(plan.kills / CHANNELS.length);
}

async function makeDeliveries({ rig, plan }: DeliveryRun): Promise<readonly string[]> {
  const { sql } = rig.db;
  await sql.query(
    `create table if not exists baseline_deliveries (id uuid primary key, campaign text not null, channel text not null, address text not null, is_sent boolean not null default false, lease_until timestamptz)`,
  );
  await sql.query('delete from baseline_deliveries');
  const campaigns: string[] = [];
  for (const channel of CHANNELS) {
    const campaign = randomUUID();
    campaigns.push(campaign);
    await sql.query(
      `insert into baseline_deliveries (id, campaign, channel, address)
       select gen_random_uuid(), $1, $2, case when $2 = 'SMS' then '+4916' || lpad(n::text, 9, '0') else 'user-' || n || '@baseline.example' end from generate_series(1, $3::int) as n`,
      [campaign, channel, plan.applications * plan.users],
    );
  }
  return campaigns;
}

function createTask(
  { rig }: DeliveryRun,
  channel: BaselineChannel,
): Parameters<typeof startBaselineWorker>[0] {
  const { providers } = rig.proxies;
  return {
    channel,
    databaseUrl: rig.addresses.databaseUrl,
    smtpPort: providers.EMAIL.port,
    twilioUrl: `http://127.0.0.1:${providers.SMS.port}`,
    callbackUrl: `${rig.apiUrl}/cb/sms/twilio/status`,
    concurrency: SEND_CONCURRENCY,
    leaseMs: CLAIM_LEASE_MS,
    timeoutMs: PROVIDER_TIMEOUT_MS,
  };
}

async function killAgainAndAgain(run: DeliveryRun, worker: BaselineWorker): Promise<void> {
  for (let kill = 0; kill < countKills(run); kill += 1) {
    const before = worker.sent();
    await eventually(
      () => {
        if (worker.sent() === before)
          throw new Error(
            'the baseline worker sends nothing: there is too little to send, or it does not start',
          );
      },
      { timeoutMs: SENDS_WITHIN_MS, intervalMs: 10 },
    );
    await runFor(run, 0, WITHIN_MS);
    worker.kill();
  }
}

async function untilDone({ rig }: DeliveryRun, campaigns: readonly string[]): Promise<void> {
  await eventually(
    async () => {
      const { rows } = await rig.db.sql.query<{ n: number }>(
        'select count(*)::int as n from baseline_deliveries where campaign = any($1) and not is_sent',
        [campaigns],
      );
      if (rows[0]?.n !== 0)
        throw new Error(`the baseline worker has ${rows[0]?.n} unsent messages`);
    },
    { timeoutMs: DONE_WITHIN_MS, intervalMs: 250 },
  );
}

/** Evaluated by the provider's ledger, like our worker. */
async function evaluate(
  run: DeliveryRun,
  { campaigns, normalMs }: { readonly campaigns: readonly string[]; readonly normalMs: number },
): Promise<Readonly<Record<string, string | number>>> {
  const { rows } = await run.rig.db.sql.query<{ id: string }>(
    'select id from baseline_deliveries where campaign = any($1)',
    [campaigns],
  );
  const accepted = Map.groupBy(
    run.rig.sandbox.accepted().filter(({ campaignId }) => campaigns.includes(campaignId ?? '')),
    ({ deliveryId }) => deliveryId ?? '',
  );
  const twice = [...accepted.values()].filter((messages) => messages.length > 1).length;
  const lost = rows.filter(({ id }) => !accepted.has(id)).length;
  if (twice === 0)
    run.violations.push({
      oracle: 'sent once',
      what: 'the baseline worker sent no message twice: the injected faults have no effect',
    });
  return {
    campaigns: campaigns.length,
    recipients: rows.length,
    twice,
    lost,
    unknown: 0,
    'resolved s': '-',
    differences: 0,
    'normal s': (normalMs / 1000).toFixed(1),
  };
}
