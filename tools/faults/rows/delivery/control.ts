import type { CampaignRecord } from '@tidings/contracts/push/campaigns';
import { ApiError, callApi, type ApiAccess } from '@tidings/local';
import { eventually } from '@tidings/testing';
import type { SentPush } from '../../load/delivery/pushes.ts';
import { checkStop, type Stop } from '../../oracles/delivery/stops.ts';
import { WORKERS } from '../../rigs/delivery-proxies.ts';
import { SEND_CONCURRENCY } from '../../rigs/delivery-rig.ts';
import { report } from '../../suites/row-frame.ts';
import { runFor, noteRecovery } from '../steps.ts';
import type { DeliveryRun } from './delivery-row.ts';
import { accept } from './steps.ts';

const REACHED_WITHIN_MS = 180_000;
/** A delivery marked as sending is sent within this time or not at all. */
const STOPPED_WITHIN_MS = 2_000;
const CANCELED_WITHIN_MS = 10_000;
const CONFLICT = 409;
const POLL_MS = 50;

export type Started = {
  readonly push: SentPush;
  readonly campaignId: string;
  readonly access: ApiAccess;
  readonly admin: ApiAccess;
};

export async function start(run: DeliveryRun, push: SentPush): Promise<Started> {
  const campaignId = await accept(run, push);
  const sender = run.senders[push.application];
  if (sender === undefined) throw new Error('unknown application of a push');
  return { push, campaignId, access: sender.access, admin: sender.admin };
}

/** Starts a campaign and resolves when `share` of it is sent. */
export async function startUntil(
  run: DeliveryRun,
  push: SentPush,
  share: number,
): Promise<Started> {
  const started = await start(run, push);
  await eventually(
    async () => {
      if (run.ending.aborted) return;
      const { counts } = await read(started);
      if (counts.successful < push.recipients.length * share)
        throw new Error(`too little of ${push.key} is sent`);
    },
    { timeoutMs: REACHED_WITHIN_MS, intervalMs: POLL_MS },
  );
  run.ending.throwIfAborted();
  return started;
}

/**
 * Cancels a running campaign, twice; resolves with the facts to check against the provider's
 * ledger.
 */
export async function cancelAfter(run: DeliveryRun, push: SentPush, share: number): Promise<Stop> {
  const what = `${push.channel} canceled after ${share * 100} %`;
  const started = await startUntil(run, push, share);
  // The provider uses the same machine clock.
  const askedAt = Date.now();
  const first = await act(started, 'cancel');
  const answeredAt = Date.now();
  const from = performance.now();
  run.canceled.add(started.campaignId);
  const second = await act(started, 'cancel');
  if (first !== 'done' || second !== CONFLICT)
    run.violations.push({
      oracle: 'an outcome for everyone',
      what: `${what}: returned ${first}, then ${second}`,
    });
  const ms = await untilOver(run, started);
  noteRecovery(run, {
    what,
    ms: ms === null ? null : performance.now() - from,
    msMax: CANCELED_WITHIN_MS,
  });
  return createStop(run, { push, what, campaignId: started.campaignId, askedAt, answeredAt, from });
}

/** Pauses a running campaign for a while and resumes it; does not wait for its end. */
export async function pauseAfter(
  run: DeliveryRun,
  push: SentPush,
  { share, forMs }: { readonly share: number; readonly forMs: number },
): Promise<{ readonly started: Started; readonly stop: Stop }> {
  const what = `${push.channel} paused after ${share * 100} %`;
  const started = await startUntil(run, push, share);
  const askedAt = Date.now();
  const paused = await act(started, 'pause');
  const answeredAt = Date.now();
  const from = performance.now();
  await runFor(run, forMs);
  const { status, counts } = await read(started);
  if (status !== 'paused' || counts.pending === 0)
    run.violations.push({
      oracle: 'an outcome for everyone',
      what: `${what}: returned ${paused}, and it is ${status} with ${counts.pending} pending`,
    });
  const resumedAt = Date.now();
  const resumed = await act(started, 'resume');
  if (resumed !== 'done')
    run.violations.push({
      oracle: 'an outcome for everyone',
      what: `${what}: the resume returned ${resumed}`,
    });
  return {
    started,
    stop: {
      ...createStop(run, { push, what, campaignId: started.campaignId, askedAt, answeredAt, from }),
      resumedAt,
    },
  };
}

type Marks = Pick<Stop, 'what' | 'campaignId' | 'askedAt' | 'answeredAt'> & {
  readonly push: SentPush;
  readonly from: number;
};

function createStop({ rig }: DeliveryRun, { push, from, ...marks }: Marks): Stop {
  const waitedMs = rig.cpuWaits.longestMs([WORKERS[push.channel], 'sandbox'], {
    from,
    to: Math.min(performance.now(), from + 2 * STOPPED_WITHIN_MS),
  });
  return { ...marks, inFlightMax: SEND_CONCURRENCY, withinMs: STOPPED_WITHIN_MS + waitedMs };
}

/** Call it when no other stop is running, since reading the ledger takes long. */
export function checkStops(run: DeliveryRun, stops: readonly Stop[]): void {
  const accepted = run.rig.sandbox.accepted();
  for (const stop of stops) {
    const { note, violations } = checkStop(accepted, stop);
    run.notes.push(note);
    report(run, 'sent once', violations);
  }
}

/** @throws if there is no response */
export async function act(
  { admin, campaignId }: Pick<Started, 'admin' | 'campaignId'>,
  action: 'pause' | 'resume' | 'cancel',
): Promise<'done' | number> {
  try {
    await callApi(admin, { method: 'POST', path: `/api/v1/campaigns/${campaignId}/${action}` });
    return 'done';
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}

/**
 * Resolves with the milliseconds until no delivery is open; null after the timeout.
 * @throws when the row must end
 */
export async function untilOver(
  { ending }: Pick<DeliveryRun, 'ending'>,
  started: Pick<Started, 'access' | 'campaignId'>,
  { timeoutMs = 4 * CANCELED_WITHIN_MS, intervalMs = POLL_MS } = {},
): Promise<number | null> {
  const from = performance.now();
  try {
    await eventually(
      async () => {
        if (ending.aborted) return;
        const { status, counts } = await read(started);
        if (!['canceled', 'completed'].includes(status) || counts.pending > 0)
          throw new Error('not over');
      },
      { timeoutMs, intervalMs },
    );
  } catch {
    return null;
  }
  ending.throwIfAborted();
  return performance.now() - from;
}

export function read({
  access,
  campaignId,
}: Pick<Started, 'access' | 'campaignId'>): Promise<CampaignRecord> {
  return callApi<CampaignRecord>(access, { path: `/api/v1/campaigns/${campaignId}` });
}
