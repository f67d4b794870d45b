import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, callApi, type ApiAccess } from '@tidings/local';
import type { CampaignRecord } from '@tidings/contracts/push/campaigns';
import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import { campaignOf } from '../load/delivery/pushes.ts';
import { compareCounts, compareFailures, findDifferences } from '../oracles/delivery/counters.ts';
import { checkDeliveries, type DeliveryFindings } from '../oracles/delivery/deliveries.ts';
import {
  countOpen,
  endWaits,
  readStoredDeliveries,
} from '../oracles/delivery/stored-deliveries.ts';
import type { CounterWatch } from '../oracles/delivery/watch-counters.ts';
import { SENT_CHANNELS } from '../rigs/delivery-proxies.ts';
import { addressOf } from '../rigs/delivery-rig.ts';
import type { DeliveryRun } from '../rows/delivery/delivery-row.ts';
import { noteRecovery } from '../rows/steps.ts';
import { checkRecoveries, report } from './row-frame.ts';

export type DeliveryFigures = {
  /** Accepted campaigns. */
  readonly campaigns: number;
  readonly recipients: number;
  /** By SMS or e-mail. */
  readonly reachedTwice: number;
  readonly lost: number;
  readonly unknown: number;
  /**
   * Milliseconds from the end of the fault until no SMS that the provider has was unknown, and
   * every recipient had an outcome.
   */
  readonly resolvedMs: number | null;
  readonly normalMs: number | null;
  readonly differences: number;
};

const SETTLED_WITHIN_MS = 60_000;
/** Allowed time per delivery that waited when the fault ended: that is work, not recovery. */
const WORK_MS_PER_DELIVERY = 12;
const RESOLVED_WITHIN_MS = 60_000;
const POLL_MS = 500;
const AT_ONCE = 8;
/** Callbacks of many thousand messages may still arrive. */
const STILL_WITHIN_MS = 60_000;

/**
 * Waits until every recipient has an outcome, and runs all oracles; `endedAt` is the end of the
 * fault.
 */
export async function runDeliveryOracles(
  run: DeliveryRun,
  { endedAt, counters }: { readonly endedAt: number; readonly counters: CounterWatch },
): Promise<DeliveryFigures> {
  const applicationIds = run.senders.map(({ id }) => id);
  const normalMs = await untilSettled(run, { applicationIds, endedAt });
  const { findings, resolvedMs } = await untilResolved(run, { applicationIds, endedAt });
  const pushes = run.load.ledger.entries;
  const accepted = pushes.filter((push) => campaignOf(push) !== undefined);
  report(run, 'an outcome for everyone', findings.lost);
  report(run, 'sent once', findings.twice);
  report(run, 'true reports', findings.untrue);
  if (resolvedMs === null) report(run, 'true reports', findings.unresolved);
  report(run, 'true reports', tooMuchUnknown(run, findings));
  for (const [what, count] of findings.unknownFor) run.notes.push(`${count} unknown: ${what}`);
  report(
    run,
    'answers',
    pushes
      .filter((push) => campaignOf(push) === undefined)
      .map(
        ({ key, attempts }) =>
          `push ${key} was never accepted in ${attempts.length} attempts, the last ${JSON.stringify(attempts.at(-1))}`,
      ),
  );
  const differences = [
    ...(await counters.stop()),
    ...(await findDifferences(run.rig.db, applicationIds)),
    ...(await compareReports(run, applicationIds)),
  ];
  report(run, 'true reports', differences);
  await checkAlive(run);
  checkRecoveries(run);
  return {
    campaigns: accepted.length,
    recipients: accepted.reduce((sum, { recipients }) => sum + recipients.length, 0),
    reachedTwice: findings.reachedTwice,
    lost: findings.lost.length,
    unknown: SENT_CHANNELS.reduce((sum, channel) => sum + findings.unknown[channel], 0),
    resolvedMs,
    normalMs,
    differences: differences.length,
  };
}

type Since = { readonly applicationIds: readonly string[]; readonly endedAt: number };

/** In time: returns the time until all outcomes; null after the timeout. */
async function untilSettled(
  run: DeliveryRun,
  { applicationIds, endedAt }: Since,
): Promise<number | null> {
  const { db } = run.rig;
  const atFirst = await countOpen(db, applicationIds);
  const msMax = SETTLED_WITHIN_MS + atFirst.deliveries * WORK_MS_PER_DELIVERY;
  let ms: number | null = null;
  while (ms === null && performance.now() - endedAt < msMax * 2) {
    await endWaits(db, applicationIds);
    const { deliveries, campaigns } = await countOpen(db, applicationIds);
    if (deliveries === 0 && campaigns === 0) ms = performance.now() - endedAt;
    else await delay(POLL_MS);
  }
  noteRecovery(run, {
    what: `every recipient has an outcome, ${atFirst.deliveries} open when the load ended`,
    ms,
    msMax,
  });
  return ms;
}

/**
 * Polls until no SMS that the provider has is unknown: callbacks and outcome polls may be pending.
 */
async function untilResolved(
  run: DeliveryRun,
  { applicationIds, endedAt }: Since,
): Promise<{ readonly findings: DeliveryFindings; readonly resolvedMs: number | null }> {
  const { rig, load, senders, canceled } = run;
  for (;;) {
    const stored = await readStoredDeliveries(rig.db, applicationIds);
    const findings = checkDeliveries(
      load.ledger.entries,
      { ...stored, accepted: rig.sandbox.accepted() },
      {
        canceled,
        addressOf: ({ application, channel }, customUserId) =>
          addressOf(channel, senders[application]?.number ?? 0, Number(customUserId.split('-')[1])),
      },
    );
    if (findings.unresolved.length === 0)
      return { findings, resolvedMs: performance.now() - endedAt };
    if (performance.now() - endedAt > RESOLVED_WITHIN_MS) return { findings, resolvedMs: null };
    await delay(POLL_MS * 2);
  }
}

function tooMuchUnknown({ ambiguousMax }: DeliveryRun, { unknown }: DeliveryFindings): string[] {
  return SENT_CHANNELS.filter((channel) => unknown[channel] > ambiguousMax[channel]).map(
    (channel) =>
      `${unknown[channel]} deliveries by ${channel} are unknown, more than the allowed ${ambiguousMax[channel]}`,
  );
}

/**
 * True reports: compares the API's report of each campaign. Late callbacks may still change
 * deliveries, so differences are read again.
 */
async function compareReports(
  { rig, senders, load }: DeliveryRun,
  applicationIds: readonly string[],
): Promise<readonly string[]> {
  let open = load.ledger.entries.filter((push) => campaignOf(push) !== undefined);
  let differences: readonly string[] = [];
  // The first comparison reads all reports, which may take longer than the callbacks.
  let until = Infinity;
  while (open.length > 0 && performance.now() < until) {
    if (differences.length > 0) await delay(POLL_MS);
    const { deliveries } = await readStoredDeliveries(rig.db, applicationIds);
    const ofCampaign = Map.groupBy(deliveries, ({ campaignId }) => campaignId);
    const queue = [...open];
    const found: { readonly push: (typeof open)[number]; readonly what: readonly string[] }[] = [];
    const work = async (): Promise<void> => {
      for (let push = queue.pop(); push !== undefined; push = queue.pop()) {
        const campaignId = campaignOf(push) ?? '';
        const access = senders[push.application]?.access;
        if (access === undefined) throw new Error('unknown application of a push');
        const { counts, failures } = await readCampaign(access, campaignId);
        const rows = ofCampaign.get(campaignId) ?? [];
        const what = [
          ...compareCounts(
            counts,
            rows.map(({ state }): DeliveryState => state),
          ),
          ...compareFailures(failures, rows),
        ];
        if (what.length > 0) found.push({ push, what: what.map((one) => `${push.key}: ${one}`) });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    open = found.map(({ push }) => push);
    differences = found.flatMap(({ what }) => what);
    until = Math.min(until, performance.now() + STILL_WITHIN_MS);
  }
  return differences;
}

/** Limits concurrent reads to the rate of a caller. */
async function readCampaign(access: ApiAccess, campaignId: string): Promise<CampaignRecord> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await callApi<CampaignRecord>(access, { path: `/api/v1/campaigns/${campaignId}` });
    } catch (error) {
      const isLimited = error instanceof ApiError && error.status === 429;
      if (!isLimited || performance.now() - startedAt > STILL_WITHIN_MS) throw error;
      await delay(POLL_MS * 2);
    }
  }
}

/** Healthy: every service makes progress, which exposes a silently dead consumer. */
async function checkAlive({ rig, violations }: DeliveryRun): Promise<void> {
  for (const { name, metricsUrl } of rig.supervisor.list()) {
    const answer = await fetch(metricsUrl.replace(/metrics$/, 'healthz')).catch(() => undefined);
    if (answer?.ok !== true)
      violations.push({
        oracle: 'healthy',
        what: `${name} is not alive: ${answer === undefined ? 'no answer' : answer.status}`,
      });
  }
}
