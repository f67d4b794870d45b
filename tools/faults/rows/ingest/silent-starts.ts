import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import type { CampaignRecord, PushAccepted } from '@tidings/contracts/push/campaigns';
import { callApi, type ApiAccess } from '@tidings/local';
import { eventually, registerUsers } from '@tidings/testing';
import { checkReady, startWhileKafkaIsSilent } from '../injected-faults/kafka.ts';
import { noteRecovery } from '../steps.ts';
import type { IngestRow, IngestRun } from './ingest-row.ts';
import { BACK_WITHIN_MS, noteFirstAccepted } from './steps.ts';

/** The groups wait 6 s for the sessions of the killed processes. */
const CAMPAIGNS_WITHIN_MS = 30_000;
const POLL_MS = 100;
const ACCEPTED_WITHIN_MS = 30_000;

const messageFor = (channel: Channel) => ({
  body: 'Accepted meanwhile.',
  ...('title' in CHANNEL_DESCRIPTORS[channel].message.properties && { title: 'Kafka is frozen' }),
});

export const startedWhileKafkaIsSilent: IngestRow = {
  id: 'I28',
  fault: 'every service killed while Kafka is frozen: they start while it does not respond',
  brokers: 1,
  needsKafka: true,
  mayBreak: true,
  async inject(run) {
    const customUserId = await registerPerson(run);
    let campaigns: readonly string[] = [];
    const { from, backAt } = await startWhileKafkaIsSilent(run, async () => {
      campaigns = await Promise.all(CHANNELS.map((channel) => push(run, channel, customUserId)));
    });

    run.outages.push({ from, to: backAt });
    const decided = noteDecided(run, campaigns, backAt);
    await noteFirstAccepted(run, {
      what: 'first 200 after Kafka responds',
      from: backAt,
      msMax: BACK_WITHIN_MS,
    });
    await decided;
    await checkReady(run);
  },
};

/** The demonstration application sends by every channel. */
function demonstration({ rig }: IngestRun): ApiAccess {
  const { baseUrl, applicationId, serverKey } = rig.tidings.local;
  return { baseUrl, headers: { 'X-Application-Id': applicationId, 'X-API-Key': serverKey } };
}

async function registerPerson({ rig }: IngestRun): Promise<string> {
  const customUserId = `silent-${randomUUID()}`;
  const phone = '+4915123456789';
  await registerUsers(rig.db, rig.tidings.local.applicationId, {
    [customUserId]: { email: `${customUserId}@example.org`, phoneNumber: phone, phoneE164: phone },
  });
  return customUserId;
}

/** Retries on 503, as callers do: on a busy machine, a new gateway may not load the key in time. */
async function push(run: IngestRun, channel: Channel, customUserId: string): Promise<string> {
  const { baseUrl, headers } = demonstration(run);
  const access = {
    baseUrl,
    headers: { ...headers, 'Idempotency-Key': `${customUserId}-${channel}` },
  };
  const body = { recipients: [customUserId], channel, message: messageFor(channel) };
  const { campaignId } = await eventually(
    () => callApi<PushAccepted>(access, { method: 'POST', path: '/push', body }),
    { timeoutMs: ACCEPTED_WITHIN_MS, intervalMs: 1_000 },
  );
  return campaignId;
}

/**
 * Records when each channel's worker has settled its recipient: sent, in the inbox, or failed with
 * a reason.
 */
async function noteDecided(
  run: IngestRun,
  campaigns: readonly string[],
  from: number,
): Promise<void> {
  let open = campaigns;
  while (open.length > 0 && performance.now() - from < 2 * CAMPAIGNS_WITHIN_MS) {
    const records = await Promise.all(
      open.map((id) =>
        callApi<CampaignRecord>(demonstration(run), { path: `/api/v1/campaigns/${id}` }),
      ),
    );
    open = records
      .filter(({ counts }) => counts.total === 0 || counts.pending > 0)
      .map(({ campaignId }) => campaignId);
    if (open.length > 0) await delay(POLL_MS, undefined, { signal: run.ending });
  }
  const ms = open.length === 0 ? performance.now() - from : null;
  noteRecovery(run, {
    what: `campaigns by ${campaigns.length} channels done after Kafka responds`,
    ms,
    msMax: CAMPAIGNS_WITHIN_MS,
  });
}
