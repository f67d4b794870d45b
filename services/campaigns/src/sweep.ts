import { BusUnavailableError } from '@tidings/bus';
import { CHUNKS_PER_SWEEP, dueChunks, postponeChunks, takeChunks } from '@tidings/delivery/chunks';
import { correctFutureTimes } from '@tidings/delivery/future-times';
import {
  CAMPAIGNS_PER_SWEEP,
  campaignsToExpand,
  completeCampaigns,
  expireCampaigns,
  expireInbox,
  expireSendingLeases,
  ROWS_PER_SWEEP,
} from '@tidings/delivery/sweeps';
import { resolveUnknownRecipients } from '@tidings/delivery/unknown-recipients';
import { Counter, type Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { expandSmall, type ExpansionDependencies } from './expand-small.ts';

const unknownOutcomesTotal = new Counter({
  name: 'tidings_unknown_outcomes_total',
  help: 'Deliveries whose worker ended between handing over and recording.',
});

const writtenAheadTotal = new Counter({
  name: 'tidings_rows_written_ahead_total',
  help: 'Rows that were written while the clock of Postgres was ahead, and were made due once it was put right; by table.',
  labelNames: ['table'] as const,
});

/** An announcement by the gateway gets this long before the sweep expands the campaign itself. */
const DISPATCH_GRACE_MS = 2_000;

/** 100,000 recipients nobody knows end in the same instant: due chunks of others come up between them. The same of the others. */
const STEPS_MAX = 10;

export type SweepSettings = { readonly redispatchAfterMs: number };

/**
 * Finds what fell out of the way of the data and puts it back: recipients that were unknown, sends without a recorded
 * outcome, expired campaigns, campaigns that are done, chunks that are due (again).
 * What goes wrong with one of these keeps none of the others waiting. Resolves with whether all went well.
 */
export async function sweep(
  deps: ExpansionDependencies,
  { redispatchAfterMs }: SweepSettings,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, logger } = deps;
  let isSuccessful = true;
  const attempt = async (work: string, action: () => Promise<unknown>): Promise<void> => {
    if (signal.aborted) return;
    await action().catch((error: unknown) => {
      isSuccessful = false;
      if (!signal.aborted)
        logger.warn({ err: error, work }, 'sweep failed, the next one looks again');
    });
  };

  await attempt('rows written ahead', () =>
    untilFewer(CHUNKS_PER_SWEEP, () => correctTimes(deps), { signal, stepsMax: STEPS_MAX }),
  );
  await attempt('unknown recipients', () =>
    untilFewer(ROWS_PER_SWEEP, () => resolveUnknownRecipients(db), { signal, stepsMax: STEPS_MAX }),
  );
  await attempt('sending leases', async () =>
    unknownOutcomesTotal.inc(
      await untilFewer(ROWS_PER_SWEEP, () => expireSendingLeases(db), { signal }),
    ),
  );
  await attempt('expiry', () => untilFewer(ROWS_PER_SWEEP, () => expireCampaigns(db), { signal }));
  await attempt('expiry of the inbox', () =>
    untilFewer(ROWS_PER_SWEEP, () => expireInbox(db), { signal }),
  );
  await attempt('completion', () =>
    untilFewer(CAMPAIGNS_PER_SWEEP, () => completeCampaigns(db), { signal, stepsMax: STEPS_MAX }),
  );
  await attempt('due chunks', () =>
    untilFewer(CHUNKS_PER_SWEEP, () => dispatchDueChunks(deps, redispatchAfterMs), {
      signal,
      stepsMax: STEPS_MAX,
    }),
  );
  return isSuccessful;
}

/** Repeats a bounded change until it finds less than its bound, or has had its share; returns how many rows changed in all. */
async function untilFewer(
  bound: number,
  change: () => Promise<number>,
  { signal, stepsMax = Infinity }: { readonly signal: AbortSignal; readonly stepsMax?: number },
): Promise<number> {
  let total = 0;
  for (let steps = 1; ; steps += 1) {
    const changed = await change();
    total += changed;
    if (changed < bound || steps >= stepsMax || signal.aborted) return total;
  }
}

/** Returns how many chunks had times that were written while the clock of Postgres was ahead. */
async function correctTimes({
  db,
  logger,
}: {
  readonly db: Database;
  readonly logger: Logger;
}): Promise<number> {
  const rows = await correctFutureTimes(db);
  for (const [table, count] of Object.entries(rows)) writtenAheadTotal.inc({ table }, count);
  if (rows.campaign_chunks > 0)
    logger.warn({ rows }, 'the clock of postgres was ahead: what was written then is due now');
  return rows.campaign_chunks;
}

/** A chunk of the express lane is announced once per due time: not while its last pointer still waits to be read. Returns how many were due. */
async function dispatchDueChunks(
  { db, dispatcher }: ExpansionDependencies,
  redispatchAfterMs: number,
): Promise<number> {
  const due = await dueChunks(db);
  if (due.length === 0) return 0;
  const waiting = await dispatcher.waiting(due);
  await postponeChunks(db, [...waiting], redispatchAfterMs);
  const taken = await takeChunks(
    db,
    due.filter((chunk) => !waiting.has(chunk)),
    redispatchAfterMs,
  );
  await dispatcher.dispatch(taken, 'sweep');
  return due.length;
}

/**
 * Expands small campaigns that nobody announced: a loop of its own, since it may take long and nothing else may wait for it.
 * One campaign that cannot be expanded keeps no other waiting; without the bus they would all fail alike.
 */
export async function expandLeftBehind(
  deps: ExpansionDependencies,
  signal: AbortSignal,
): Promise<void> {
  const found = await campaignsToExpand(deps.db, DISPATCH_GRACE_MS);
  try {
    await expandSmall(deps, found, { signal });
  } catch (error) {
    if (signal.aborted || error instanceof BusUnavailableError) throw error;
    deps.logger.warn(
      { err: error },
      'small campaigns could not be expanded together, each is tried by itself',
    );
    for (const campaignId of found) await expandByItself(deps, campaignId, signal);
  }
}

async function expandByItself(
  deps: ExpansionDependencies,
  campaignId: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await expandSmall(deps, [campaignId], { signal });
  } catch (error) {
    if (signal.aborted || error instanceof BusUnavailableError) throw error;
    deps.logger.error({ err: error, campaignId }, 'campaign could not be expanded');
  }
}
