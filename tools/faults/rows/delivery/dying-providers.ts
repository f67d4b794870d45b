import { callApi } from '@tidings/local';
import type { SentPush } from '../../load/delivery/pushes.ts';
import { checkAccounts, type AccountCounts } from '../../oracles/delivery/accounts.ts';
import { findLongestGap, type Interval } from '../../oracles/delivery/gaps.ts';
import { readStoredAccounts } from '../../oracles/delivery/stored-deliveries.ts';
import { SENT_CHANNELS, WORKERS } from '../../rigs/delivery-proxies.ts';
import { SEND_CONCURRENCY } from '../../rigs/delivery-rig.ts';
import type { AcceptedMessage } from '../../rigs/sandbox-control.ts';
import { report } from '../../suites/row-frame.ts';
import { measureUntil, runFor } from '../steps.ts';
import { start, type Started } from './control.ts';
import type { DeliveryRow, DeliveryRun } from './delivery-row.ts';
import { KILL_WITHIN_MS, noteAmbiguous, untilSent } from './killed-campaign.ts';
import { killWorker } from './kills.ts';
import { complete } from './large-campaign.ts';
import { allowAmbiguousAttempts } from './steps.ts';
import { connectTwoAccounts, type AccountsChannel, type TwoAccounts } from './two-accounts.ts';

/** Share of the campaign after which the first provider dies. */
const DIES_AFTER = 0.2;
/** From the death to the first message by the other, and without a message while the worker is up. */
const SENDS_WITHIN_MS = 10_000;
const USUAL_DELAY_MS = 25;
/** Without kills a campaign takes at least this long, so that a small one meets its kills too. */
const CAMPAIGN_MS_MIN = 8_000;
/** Callbacks of the last messages may still arrive. */
const STILL_WITHIN_MS = 30_000;

export const smsProviderDies = dyingProvider('D32', 'SMS');
export const mailServerDies = dyingProvider('D33', 'EMAIL');

function dyingProvider(id: DeliveryRow['id'], channel: AccountsChannel): DeliveryRow {
  return {
    id,
    fault: `the first of two providers of ${channel} dies for good in a large campaign; kill -9 of the worker before and after`,
    brokers: 1,
    // Only pushes to one recipient besides: the death and all kills hit the one campaign.
    isQuiet: true,
    withinMs: 30 * 60_000,
    plan: { applications: 1, users: 20_000, requestsPerSecond: 3, kills: 10 },
    async inject(run) {
      const push = run.pushes.all(channel, run.plan.users);
      const sender = run.senders[push.application];
      if (sender === undefined) throw new Error('unknown application of a push');
      await slowDown(run, channel);
      const two = await connectTwoAccounts(run, channel, sender);
      let facts: Facts;
      try {
        facts = await sendThroughDeath(run, push, { ...two, channel });
      } finally {
        await two.die();
      }
      judgeGaps(run, facts);
      await compareAccounts(run, facts);
      await noteAmbiguous(run, facts.started);
    },
  };
}

type Facts = TwoAccounts & {
  readonly channel: AccountsChannel;
  readonly started: Started;
  readonly diedAt: number;
  /** From each kill until the worker is ready again. */
  readonly away: readonly Interval[];
};

async function slowDown({ rig, plan }: DeliveryRun, channel: AccountsChannel): Promise<void> {
  const delayMs = Math.max(
    USUAL_DELAY_MS,
    Math.round((CAMPAIGN_MS_MIN * SEND_CONCURRENCY) / plan.users),
  );
  await rig.sandbox.behave(
    SENT_CHANNELS.map((one) => ({
      channel: one,
      kind: 'delay',
      rate: 1,
      delayMs: one === channel ? delayMs : USUAL_DELAY_MS,
    })),
  );
}

/** Sends to all users, with a death and kills at their shares of the campaign. */
async function sendThroughDeath(
  run: DeliveryRun,
  push: SentPush,
  two: TwoAccounts & Pick<Facts, 'channel'>,
): Promise<Facts> {
  const { kills, users } = run.plan;
  const { channel } = two;
  const away: Interval[] = [];
  let diedAt = Infinity;
  const die = async (): Promise<void> => {
    allowAmbiguousAttempts(run, [channel]);
    diedAt = Date.now();
    await two.die();
  };
  const kill = async (): Promise<void> => {
    await runFor(run, 0, KILL_WITHIN_MS);
    const from = Date.now();
    await killWorker(run, channel);
    away.push({ from, to: Date.now() });
  };
  const events = [
    { after: DIES_AFTER, happen: die },
    ...Array.from({ length: kills }, (_, index) => ({
      after: (index + 1) / (kills + 1),
      happen: kill,
    })),
  ].toSorted((a, b) => a.after - b.after);

  const started = await start(run, push);
  for (const { after, happen } of events) {
    await untilSent(run, started, Math.ceil(users * after));
    await happen();
  }
  await complete(run, started, `${channel} to ${users}, ${kills} kills`);
  return { ...two, started, diedAt, away };
}

/** In time: the other provider takes over, and what is pending goes on being sent. */
function judgeGaps(run: DeliveryRun, { accounts, channel, started, diedAt, away }: Facts): void {
  const accepted = acceptedOf(run, started);
  const [, other] = accounts;
  const firstAt = accepted
    .filter(({ account, receivedAt }) => account === other.seenAs && receivedAt >= diedAt)
    .reduce((first, { receivedAt }) => Math.min(first, receivedAt), Infinity);
  const tookMs = firstAt === Infinity ? null : firstAt - diedAt;
  noteInterval(run, channel, {
    what: `from the death of the first provider to a message by ${other.name}`,
    ms: tookMs,
    from: diedAt,
    to: Math.min(firstAt, Date.now()),
  });
  const gap = findLongestGap(
    accepted.map(({ receivedAt }) => receivedAt),
    away,
  );
  noteInterval(run, channel, { what: 'the longest time in which the worker sent nothing', ...gap });
  run.cells['taken over s'] = tookMs === null ? 'never' : (tookMs / 1_000).toFixed(1);
  run.cells['gap s'] = (gap.ms / 1_000).toFixed(1);
}

function acceptedOf({ rig }: DeliveryRun, { campaignId }: Started): readonly AcceptedMessage[] {
  return rig.sandbox.accepted().filter((message) => message.campaignId === campaignId);
}

function noteInterval(
  { rig, recoveries }: DeliveryRun,
  channel: AccountsChannel,
  { what, ms, from, to }: Interval & { readonly what: string; readonly ms: number | null },
): void {
  recoveries.push({
    what,
    ms,
    msMax: SENDS_WITHIN_MS,
    cpuWaitMs: rig.cpuWaits.longestMs([WORKERS[channel], 'sandbox'], {
      from: from - performance.timeOrigin,
      to: to - performance.timeOrigin,
    }),
  });
}

/** True reports: callbacks may still change deliveries, so what differs is read again. */
async function compareAccounts(run: DeliveryRun, { accounts, started }: Facts): Promise<void> {
  const { rig, notes } = run;
  let faults: readonly string[] = [];
  await measureUntil(
    async () => {
      faults = checkAccounts({
        accounts,
        reported: await readAccounts(started),
        deliveries: await readStoredAccounts(rig.db, started.campaignId),
        accepted: acceptedOf(run, started),
      });
      return faults.length === 0;
    },
    { msMax: STILL_WITHIN_MS },
  );
  report(run, 'true reports', faults);
  notes.push(
    ...(await readAccounts(started)).map(
      ({ name, sent, unknown }) => `${name}: ${sent} sent, ${unknown} unknown`,
    ),
  );
}

async function readAccounts({ access, campaignId }: Started): Promise<readonly AccountCounts[]> {
  const { accounts } = await callApi<{ readonly accounts: readonly AccountCounts[] }>(access, {
    path: `/api/v1/campaigns/${campaignId}/report`,
  });
  return accounts;
}
