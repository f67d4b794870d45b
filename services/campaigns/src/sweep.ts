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
import { Counter } from '@tidings/platform';
import { countRowsWrittenAhead } from '@tidings/postgres/rows-written-ahead';
import { expandSmall, type ExpansionDependencies } from './expand-small.ts';

const unknownOutcomesTotal = new Counter({
  name: 'tidings_unknown_outcomes_total',
  help: 'Deliveries whose worker stopped between sending and recording the outcome.',
});

/** Time for the gateway's record to arrive before the sweep expands the campaign itself. */
const DISPATCH_GRACE_MS = 2_000;

/** Maximum steps of one sweep task, so that 100,000 unknown recipients do not delay due chunks. */
const STEPS_MAX = 10;

export type SweepSettings = { readonly redispatchAfterMs: number };

/**
 * Recovers missed work: recipients unknown at expansion, sends without a recorded outcome, expired
 * and finished campaigns, and due chunks. A failing task does not stop the others. Resolves with
 * true if all succeeded.
 */
export async function sweep(
  deps: ExpansionDependencies,
  { redispatchAfterMs }: SweepSettings,
  signal: AbortSignal,
): Promise<boolean> {
  const { keyedDb, logger } = deps;
  let isSuccessful = true;
  const attempt = async (work: string, action: () => Promise<unknown>): Promise<void> => {
    if (signal.aborted) return;
    await action().catch((error: unknown) => {
      isSuccessful = false;
      if (!signal.aborted) logger.warn({ err: error, work }, 'sweep failed, the next one retries');
    });
  };

  await attempt('rows written ahead', () =>
    untilFewer(CHUNKS_PER_SWEEP, () => correctTimes(deps), { signal, stepsMax: STEPS_MAX }),
  );
  await attempt('unknown recipients', () =>
    untilFewer(ROWS_PER_SWEEP, () => resolveUnknownRecipients(keyedDb), {
      signal,
      stepsMax: STEPS_MAX,
    }),
  );
  await attempt('sending leases', async () =>
    unknownOutcomesTotal.inc(
      await untilFewer(ROWS_PER_SWEEP, () => expireSendingLeases(keyedDb), { signal }),
    ),
  );
  await attempt('expiry', () =>
    untilFewer(ROWS_PER_SWEEP, () => expireCampaigns(keyedDb), { signal }),
  );
  await attempt('expiry of the inbox', () =>
    untilFewer(ROWS_PER_SWEEP, () => expireInbox(keyedDb), { signal }),
  );
  await attempt('completion', () =>
    untilFewer(CAMPAIGNS_PER_SWEEP, () => completeCampaigns(keyedDb), {
      signal,
      stepsMax: STEPS_MAX,
    }),
  );
  await attempt('due chunks', () =>
    untilFewer(CHUNKS_PER_SWEEP, () => dispatchDueChunks(deps, redispatchAfterMs), {
      signal,
      stepsMax: STEPS_MAX,
    }),
  );
  return isSuccessful;
}

/**
 * Repeats a bounded change until it changes fewer rows than its bound, or reaches the step limit.
 * Returns the total.
 */
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

/** Returns how many chunks had future times, written while Postgres' clock was ahead. */
async function correctTimes({
  keyedDb,
  logger,
}: Pick<ExpansionDependencies, 'keyedDb' | 'logger'>): Promise<number> {
  const rows = await correctFutureTimes(keyedDb);
  for (const [table, count] of Object.entries(rows)) countRowsWrittenAhead(table, count);
  if (rows.campaign_chunks > 0)
    logger.warn({ rows }, 'postgres clock was ahead: rows written then are due now');
  return rows.campaign_chunks;
}

/**
 * Dispatches due express chunks, once per due time: a chunk whose last record is unread is
 * postponed. Returns how many were due.
 */
async function dispatchDueChunks(
  { keyedDb, dispatcher }: ExpansionDependencies,
  redispatchAfterMs: number,
): Promise<number> {
  const due = await dueChunks(keyedDb);
  if (due.length === 0) return 0;
  const waiting = await dispatcher.waiting(due);
  await postponeChunks(keyedDb, [...waiting], redispatchAfterMs);
  const taken = await takeChunks(
    keyedDb,
    due.filter((chunk) => !waiting.has(chunk)),
    redispatchAfterMs,
  );
  await dispatcher.dispatch(taken, 'sweep');
  return due.length;
}

/**
 * Expands small campaigns without a record in Kafka. A separate loop, because it may take long. A
 * failing campaign does not stop the others; without the bus all would fail alike.
 */
export async function expandLeftBehind(
  deps: ExpansionDependencies,
  signal: AbortSignal,
): Promise<void> {
  const found = await campaignsToExpand(deps.keyedDb, DISPATCH_GRACE_MS);
  try {
    await expandSmall(deps, found, { signal });
  } catch (error) {
    if (signal.aborted || error instanceof BusUnavailableError) throw error;
    deps.logger.warn(
      { err: error },
      'small campaigns could not be expanded together, retrying one by one',
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
