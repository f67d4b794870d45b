import type { CampaignRecord } from '@tidings/contracts';
import { ApiError, callApi, type ApiAccess } from '@tidings/local';
import { eventually } from '@tidings/testing';
import { SENT_CHANNELS, type SentChannel } from '../../rigs/delivery-proxies.ts';
import { SEND_CONCURRENCY } from '../../rigs/delivery-rig.ts';
import { noteRecovery } from '../steps.ts';
import type { DeliveryRow, DeliveryRun } from './delivery-row.ts';
import { accept } from './steps.ts';

const SHARES = [0.1, 0.5, 0.9];
/** So near to its end that it may complete first. */
const NEARLY_ALL = 0.97;
const REACHED_WITHIN_MS = 180_000;
const ON_ITS_WAY_MS = 20;
const CANCELED_WITHIN_MS = 10_000;
const CONFLICT = 409;

export const campaignsCanceled: DeliveryRow = {
  id: 'F19',
  fault: 'large campaigns canceled after 10, 50 and 90 %, twice, and on the point of completion',
  brokers: 1,
  // Others beside it would hide how soon it ends.
  isQuiet: true,
  async inject(run) {
    // So that a message is on its way for a while, and a cancel finds some there.
    for (const channel of SENT_CHANNELS) run.rig.proxies.providers[channel].proxy.set({ delayMs: ON_ITS_WAY_MS });
    await Promise.all(
      SENT_CHANNELS.map(async (channel) => {
        for (const share of SHARES) await cancelAfter(run, channel, share);
        await raceTheFinish(run, channel);
      }),
    );
  },
};

type Started = { readonly campaignId: string; readonly access: ApiAccess; readonly admin: ApiAccess };

async function start(run: DeliveryRun, channel: SentChannel, share: number): Promise<Started> {
  const push = run.pushes.bulk(channel, 1);
  const campaignId = await accept(run, push);
  const sender = run.senders[push.application];
  if (sender === undefined) throw new Error('a push of nobody');
  const started = { campaignId, access: sender.access, admin: sender.admin };
  await eventually(
    async () => {
      const { counts } = await read(started);
      if (counts.successful < push.recipients.length * share) throw new Error(`of ${push.key} too little is sent`);
    },
    { timeoutMs: REACHED_WITHIN_MS, intervalMs: 50 },
  );
  return started;
}

async function cancelAfter(run: DeliveryRun, channel: SentChannel, share: number): Promise<void> {
  const started = await start(run, channel, share);
  // The clock of the provider: it is this machine's, too.
  const askedAt = Date.now();
  const first = await cancel(started);
  const canceledAt = Date.now();
  const from = performance.now();
  run.canceled.add(started.campaignId);
  const second = await cancel(started);
  if (first !== 'canceled' || second !== CONFLICT) run.violations.push({ oracle: 'O3', what: `cancel after ${share * 100} % was answered ${first}, and again ${second}` });
  const ms = await untilOver(started);
  noteRecovery(run, { what: `${channel} canceled after ${share * 100} %`, ms: ms === null ? null : performance.now() - from, msMax: CANCELED_WITHIN_MS });
  const accepted = run.rig.sandbox.accepted().filter(({ campaignId }) => campaignId === started.campaignId);
  const since = (at: number): number => accepted.filter(({ receivedAt }) => receivedAt > at).length;
  const late = since(canceledAt);
  run.notes.push(`${channel} canceled after ${share * 100} %: ${since(askedAt)} messages after it was asked for, in ${canceledAt - askedAt} ms; ${late} after the answer`);
  if (late > SEND_CONCURRENCY) run.violations.push({ oracle: 'O4', what: `${late} messages by ${channel} left after the cancel was answered` });
}

/** Either it is canceled, or it was done before: nothing in between. */
async function raceTheFinish(run: DeliveryRun, channel: SentChannel): Promise<void> {
  const started = await start(run, channel, NEARLY_ALL);
  const answer = await cancel(started);
  if (answer === 'canceled') run.canceled.add(started.campaignId);
  await untilOver(started);
  const { status } = await read(started);
  const expected = answer === 'canceled' ? 'canceled' : 'completed';
  if (status !== expected) run.violations.push({ oracle: 'O3', what: `a cancel on the point of completion was answered ${answer}, and the campaign is ${status}` });
  run.notes.push(`${channel} on the point of completion: ${answer}`);
}

async function cancel({ admin, campaignId }: Started): Promise<'canceled' | number> {
  try {
    await callApi(admin, { method: 'POST', path: `/api/v1/campaigns/${campaignId}/cancel` });
    return 'canceled';
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}

/** Resolves when no delivery is open any more; null when that takes too long. */
async function untilOver(started: Started): Promise<number | null> {
  const from = performance.now();
  try {
    await eventually(
      async () => {
        const { status, counts } = await read(started);
        if (!['canceled', 'completed'].includes(status) || counts.pending > 0) throw new Error('not over');
      },
      { timeoutMs: 4 * CANCELED_WITHIN_MS, intervalMs: 50 },
    );
    return performance.now() - from;
  } catch {
    return null;
  }
}

function read({ access, campaignId }: Started): Promise<CampaignRecord> {
  return callApi<CampaignRecord>(access, { path: `/api/v1/campaigns/${campaignId}` });
}
