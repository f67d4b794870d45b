import { RETRY_IF_UNKNOWN } from '@tidings/contracts/channels/channels';
import { campaignOf } from '../load/delivery/pushes.ts';
import type { Listeners } from '../load/devices/listeners.ts';
import type { DevicePush } from '../load/devices/pushes.ts';
import type { SentEntry } from '../load/ingest/batches.ts';
import { isAcceptedByTheSecondTry, isAcknowledged, type Entry } from '../load/ledger.ts';
import type { Load } from '../load/load.ts';
import type { RetryingCaller } from '../load/retrying-caller.ts';
import type { WebhookReceiver } from '../load/webhook-receiver.ts';
import { findDifferences } from '../oracles/delivery/counters.ts';
import {
  countOpen,
  readStoredDeliveries,
  type StoredDeliveries,
} from '../oracles/delivery/stored-deliveries.ts';
import type { CounterWatch } from '../oracles/delivery/watch-counters.ts';
import { checkAnswers } from '../oracles/ingest/answers.ts';
import { checkDeadLetters } from '../oracles/ingest/dead-letters.ts';
import { untilRead } from '../oracles/ingest/lag.ts';
import { checkDeviceMessages } from '../oracles/rolling/device-messages.ts';
import { checkWebhooks, type WebhookFindings } from '../oracles/rolling/webhooks.ts';
import type { TestApplication } from '../rigs/rig.ts';
import type { RollingRun } from '../rows/rolling/rolling-row.ts';
import { measureUntil, noteRecovery } from '../rows/steps.ts';
import { runDeliveryOracles } from './delivery-oracles.ts';
import { report } from './row-frame.ts';
import { checkStoredMessages } from './stored-messages.ts';

/** Evidence besides the campaigns of the run. */
export type RollingEvidence = {
  readonly endedAt: number;
  readonly counters: CounterWatch;
  readonly people: { readonly prefix: string; readonly users: number };
  /** Applications whose batches were sent. */
  readonly applications: readonly TestApplication[];
  readonly lettersBefore: ReadonlySet<string>;
  /** As of the row: receivers may get a repeat, and callers may have to retry more than once. */
  readonly cutsOff: boolean;
  readonly devices: Load<DevicePush>;
  readonly ingest: Load<SentEntry>;
  readonly listeners: Listeners;
  readonly caller: RetryingCaller;
  readonly receiver: WebhookReceiver;
};

export type RollingFigures = {
  readonly requests: number;
  /** Requests that were retried. */
  readonly retries: number;
  readonly failed: number;
  readonly messages: number;
  readonly recipients: number;
  readonly 'on devices': number;
  readonly events: number;
  readonly twice: number;
  readonly lost: number;
  readonly unknown: number;
  readonly differences: number;
};

const SETTLED_WITHIN_MS = 60_000;

/** Waits until all work is done, and runs all oracles. Devices listen until then. */
export async function runRollingOracles(
  run: RollingRun,
  questions: RollingEvidence,
): Promise<RollingFigures> {
  const { rig, load, audience } = run;
  const {
    people,
    applications,
    lettersBefore,
    cutsOff,
    devices,
    ingest,
    listeners,
    caller,
    receiver,
  } = questions;
  const deliveries = await runDeliveryOracles(run, questions);
  const findings = await askAudience(run, questions);
  await listeners.stop();
  noteRecovery(run, {
    what: 'all read at the end',
    ms: await untilRead(rig.bus, SETTLED_WITHIN_MS),
    msMax: SETTLED_WITHIN_MS,
  });
  const stored = await checkStoredMessages(run, {
    ...people,
    applications,
    entries: ingest.ledger.entries,
  });
  const letters = await checkDeadLetters(rig.db, { poison: [], before: lettersBefore });
  report(run, 'dead letters', letters.faults);
  const repeated = findRepeated(run, { cutsOff });
  report(run, 'sent once', repeated);
  const loads = [load, devices, ingest];
  const failures = [
    ...loads.flatMap(({ ledger }) => listFailures(ledger.entries, { cutsOff })),
    ...caller.failures(),
  ];
  report(run, 'answers', failures);
  reportAnswers(run, loads);
  const attempts = loads.reduce((sum, { ledger }) => sum + ledger.attempts.length, 0);
  const entries = loads.reduce((sum, { ledger }) => sum + ledger.entries.length, 0);
  const differences = await findDifferences(rig.db, [audience.id]);
  report(run, 'true reports', differences);
  return {
    requests: entries + caller.counts.requests,
    retries: attempts - entries + caller.counts.retries,
    failed: failures.length,
    messages: ingest.ledger.entries
      .filter(isAcknowledged)
      .reduce((sum, { batch }) => sum + batch.messages.length, 0),
    recipients: deliveries.recipients,
    'on devices': findings.deliveries,
    events: receiver.received.size,
    twice: deliveries.reachedTwice + stored.twice + findings.twice + repeated.length,
    lost: deliveries.lost + stored.lost + findings.lost,
    unknown: deliveries.unknown,
    differences: deliveries.differences + differences.length,
  };
}

function findRepeated(
  { rig }: RollingRun,
  { cutsOff }: Pick<RollingEvidence, 'cutsOff'>,
): readonly string[] {
  const accepted = rig.sandbox
    .accepted()
    .filter(({ channel }) => !cutsOff || !RETRY_IF_UNKNOWN[channel]);
  const byDelivery = Map.groupBy(accepted, ({ deliveryId }) => deliveryId ?? '');
  return [...byDelivery]
    .filter(([deliveryId, list]) => deliveryId !== '' && list.length > 1)
    .map(
      ([deliveryId, list]) => `delivery ${deliveryId}: its provider took ${list.length} messages`,
    );
}

function reportAnswers(run: RollingRun, loads: readonly Pick<Load<Entry>, 'ledger'>[]): void {
  for (const { ledger } of loads) {
    const { faults } = checkAnswers(ledger, {
      outages: [],
      mayBreak: true,
      frozen: run.frozen,
      mustAccept: false,
      cpuWaitMs: (window) => run.rig.cpuWaits.longestMs(run.rig.gateways, window),
    });
    report(run, 'answers', faults);
  }
}

function listFailures(
  entries: readonly Entry[],
  { cutsOff }: Pick<RollingEvidence, 'cutsOff'>,
): string[] {
  return entries
    .filter((entry) => !(cutsOff ? isAcknowledged(entry) : isAcceptedByTheSecondTry(entry)))
    .map(
      ({ attempts }) =>
        `${attempts.length} attempts: ${attempts.map(({ status, detail = '' }) => `${status} ${detail}`).join(', ')}`,
    );
}

type AudienceFindings = {
  readonly deliveries: number;
  readonly lost: number;
  readonly twice: number;
};

/**
 * Messages to devices that were lost or duplicated, and the application's webhook events about
 * them.
 */
async function askAudience(
  run: RollingRun,
  { endedAt, cutsOff, devices, listeners, receiver }: RollingEvidence,
): Promise<AudienceFindings> {
  const {
    rig: { db, sandbox },
    audience,
  } = run;
  const settledMs = await measureUntil(
    async () => {
      const open = await countOpen(db, [audience.id]);
      return open.deliveries === 0 && open.campaigns === 0;
    },
    { from: endedAt, msMax: SETTLED_WITHIN_MS },
  );
  noteRecovery(run, { what: 'devices have everything', ms: settledMs, msMax: SETTLED_WITHIN_MS });
  const stored = await readStoredDeliveries(db, [audience.id]);
  const campaigns = stored.campaigns.filter(({ isTest }) => !isTest);
  const pushes = devices.ledger.entries.filter((push) => campaignOf(push) !== undefined);
  const messages = checkDeviceMessages(pushes, {
    campaigns,
    deliveries: stored.deliveries,
    arrivals: listeners.arrivals,
    accepted: sandbox.accepted(),
  });
  report(run, 'an outcome for everyone', messages.lost);
  const events = await untilReported(receiver, { stored, endedAt });
  report(run, 'an outcome for everyone', events.missing);
  const twice = [messages, events].flatMap((found) => [
    ...found.twice,
    ...(cutsOff ? [] : found.repeated),
  ]);
  report(run, 'sent once', twice);
  return {
    deliveries: stored.deliveries.length,
    lost: messages.lost.length + events.missing.length,
    twice: twice.length,
  };
}

async function untilReported(
  { received: events }: WebhookReceiver,
  { stored, endedAt }: { readonly stored: StoredDeliveries; readonly endedAt: number },
): Promise<WebhookFindings> {
  await measureUntil(() => Promise.resolve(checkWebhooks(events, stored).missing.length === 0), {
    from: endedAt,
    msMax: SETTLED_WITHIN_MS,
  });
  return checkWebhooks(events, stored);
}
