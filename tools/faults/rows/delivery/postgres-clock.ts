import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tidings/testing';
import { between } from '../../load/random.ts';
import { SENT_CHANNELS } from '../../rigs/delivery-proxies.ts';
import {
  createFakeClock,
  findFakeClock,
  whyNoFakeClock,
  type FakeClock,
} from '../../rigs/fake-clock.ts';
import { runFor, noteRecovery } from '../steps.ts';
import type { DeliveryRow, DeliveryRun } from './delivery-row.ts';
import { accept, allowAmbiguousAttempts, untilAllSend } from './steps.ts';

const MINUTE_SECONDS = 60;
const AHEAD_SECONDS = { least: 30 * MINUTE_SECONDS, most: 180 * MINUTE_SECONDS };
/** Less than the clock offset, and more than any other difference. */
const SURELY_AHEAD = `interval '15 min'`;
/** libfaketime reads its file once per second. */
const CLOCK_SET_WITHIN_MS = 10_000;
const SETTLED_WITHIN_MS = 60_000;
/**
 * Allowed time per delivery that was open when the clock was corrected, besides the running
 * campaigns.
 */
const WORK_MS_PER_DELIVERY = 24;
const POLL_MS = 250;
const FROZEN = { channel: 'SMS', worker: 'worker-sms' } as const;
const FROZEN_MS_MAX = 8_000;
const METRIC = /^tidings_rows_written_ahead_total\{[^}]*\} (\d+)/gm;

/**
 * What Postgres writes while its clock is ahead must not wait until that time. No retry delay is
 * shortened here.
 */
export const postgresClockWrong: DeliveryRow = {
  id: 'D29',
  fault: "Postgres' clock ahead by half an hour to three hours, then corrected",
  brokers: 1,
  leftOut: whyNoFakeClock,
  async inject(run) {
    const library = findFakeClock();
    if (library === undefined) throw new Error('no libfaketime');
    const clock = createFakeClock(library, join(run.rig.tidings.home, 'postgres.clock'));
    const seconds = Math.round(between(run.random, AHEAD_SECONDS.least, AHEAD_SECONDS.most));
    clock.set(0);
    await restart(run, clock.env);
    try {
      await untilAllSend(run);
      await setAhead(run, { clock, seconds });
      await runFor(run, run.plan.outageMs / 2, run.plan.outageMs);
      await putRight(run, clock);
    } finally {
      await restart(run);
    }
    await untilAllSend(run);
  },
};

/** Deliveries marked as sending when Postgres goes down may become ambiguous. */
async function restart(run: DeliveryRun, env?: FakeClock['env']): Promise<void> {
  allowAmbiguousAttempts(run, SENT_CHANNELS);
  await run.rig.postgres.stop();
  await run.rig.postgres.start(env);
}

/** All leases expire at once: sends in flight get an unknown outcome. */
async function setAhead(
  run: DeliveryRun,
  { clock, seconds }: { readonly clock: FakeClock; readonly seconds: number },
): Promise<void> {
  allowAmbiguousAttempts(run, SENT_CHANNELS);
  clock.set(seconds);
  await eventually(
    async () => {
      const { rows } = await run.rig.db.sql.query<{ now: number }>(
        'select extract(epoch from now())::float8 * 1000 as now',
      );
      const aheadMs = (rows[0]?.now ?? 0) - Date.now();
      if (Math.abs(aheadMs - seconds * 1_000) > CLOCK_SET_WITHIN_MS)
        throw new Error(
          `Postgres' clock is ahead by ${aheadMs} ms, not ${seconds} s: the fault had no effect`,
        );
    },
    { timeoutMs: CLOCK_SET_WITHIN_MS },
  );
}

/** While campaigns are expanded and not yet sent. */
async function putRight(run: DeliveryRun, clock: FakeClock): Promise<void> {
  const before = await countRescheduled(run);
  const from = await whileFrozen(run, async () => {
    const campaignIds = new Map(
      await Promise.all(
        SENT_CHANNELS.map(
          async (channel) => [channel, await accept(run, run.pushes.bulk(channel, 1))] as const,
        ),
      ),
    );
    await untilExpanded(run, campaignIds.get(FROZEN.channel));
    clock.set(0);
    const setAt = performance.now();
    await untilRight(run);
    await untilRescheduled(run, before);
    return setAt;
  });
  const atFirst = await countOpenOfAhead(run);
  const msMax = SETTLED_WITHIN_MS + atFirst * WORK_MS_PER_DELIVERY;
  const isSettled = await untilSettled(run, { from, msMax });
  noteRecovery(run, {
    what: `rows written ahead have an outcome, ${atFirst} open when the clock was corrected`,
    ms: isSettled ? performance.now() - from : null,
    msMax,
  });
  const rescheduled = (await countRescheduled(run)) - before;
  run.notes.push(`${rescheduled} rows were written ahead and made due`);
  if (rescheduled === 0)
    run.violations.push({
      oracle: 'healthy',
      what: 'no rows written ahead were open when the clock was corrected: the fault had no effect',
    });
}

/** Keeps some work until the clock is corrected; a fast machine would have sent everything. */
async function whileFrozen<T>({ rig }: DeliveryRun, work: () => Promise<T>): Promise<T> {
  rig.supervisor.kill(FROZEN.worker, 'SIGSTOP');
  try {
    return await work();
  } finally {
    rig.supervisor.kill(FROZEN.worker, 'SIGCONT');
  }
}

function untilExpanded({ rig }: DeliveryRun, campaignId: string | undefined): Promise<void> {
  return eventually(
    async () => {
      const { rows } = await rig.db.sql.query(
        'select 1 from deliveries where campaign_id = $1 limit 1',
        [campaignId],
      );
      if (rows.length === 0) throw new Error('the campaign is not expanded');
    },
    { timeoutMs: SETTLED_WITHIN_MS, intervalMs: 20 },
  );
}

/** Shorter than the send lease and the session of the worker. */
async function untilRescheduled(run: DeliveryRun, before: number): Promise<void> {
  const until = performance.now() + FROZEN_MS_MAX;
  while (performance.now() < until && (await countRescheduled(run)) === before)
    await delay(POLL_MS, undefined, { signal: run.ending });
}

function untilRight({ rig }: DeliveryRun): Promise<void> {
  return eventually(
    async () => {
      const { rows } = await rig.db.sql.query<{ now: number }>(
        'select extract(epoch from now())::float8 * 1000 as now',
      );
      if ((rows[0]?.now ?? Infinity) - Date.now() > CLOCK_SET_WITHIN_MS)
        throw new Error("Postgres' clock is ahead");
    },
    { timeoutMs: CLOCK_SET_WITHIN_MS },
  );
}

async function untilSettled(
  run: DeliveryRun,
  { from, msMax }: { readonly from: number; readonly msMax: number },
): Promise<boolean> {
  while (performance.now() - from < msMax * 1.5) {
    if ((await countOpenOfAhead(run)) === 0) return true;
    await delay(POLL_MS, undefined, { signal: run.ending });
  }
  return false;
}

/** Open deliveries that were created while the clock was ahead. */
async function countOpenOfAhead({ rig, senders }: DeliveryRun): Promise<number> {
  const { rows } = await rig.db.sql.query<{ open: number }>(
    `select count(*)::int as open from deliveries
     where application_id = any($1) and created_at > now() + ${SURELY_AHEAD} and state in ('pending', 'claimed', 'sending', 'retry_wait')`,
    [senders.map(({ id }) => id)],
  );
  return rows[0]?.open ?? NaN;
}

/** Rows rescheduled, as logged by `campaigns`. */
async function countRescheduled({ rig }: DeliveryRun): Promise<number> {
  const campaigns = rig.supervisor.list().find(({ name }) => name === 'campaigns');
  if (campaigns === undefined) throw new Error('campaigns does not run');
  const scrape = await (
    await fetch(campaigns.metricsUrl, { signal: AbortSignal.timeout(CLOCK_SET_WITHIN_MS) })
  ).text();
  return [...scrape.matchAll(METRIC)].reduce((sum, [, count]) => sum + Number(count), 0);
}
