import { setTimeout as delay } from 'node:timers/promises';
import { INBOX_CHANNELS, UNKNOWN_RECIPIENT_LOOKUP_SECONDS, type CampaignRecord, type Channel, type IngestAccepted, type PushAccepted } from '@tidings/contracts';
import type { Palette, Progress } from '../../progress.mjs';
import { ApiError, callApi, type ApiAccess } from '../api.ts';
import type { LocalFile } from '../local-file.ts';
import { giveDevices } from './devices.ts';
import { castOf, messagesOf, type Cast } from './people.ts';
import { campaignReport, channelTable, countsLine, whereToLook, type DeliveryLine } from './report.ts';

export type DemonstrationOptions = {
  readonly progress: Progress;
  readonly colour: Palette;
  readonly signal: AbortSignal;
};

type IngestReport = { readonly complete: boolean; readonly messages: readonly { readonly type: string; readonly outcome: string; readonly reason?: string }[] };

const MESSAGE = { title: 'Tidings from the demonstration', body: '<p>It went all the way: Postgres, Kafka, a worker, SMTP.</p>' };
/** Beside the e-mails, whose campaign is followed line by line. */
const OTHER_CAMPAIGNS = [
  { channel: 'SMS', what: 'an SMS', message: { body: 'Tidings from the demonstration 👋 Answer STOP in the sandbox, and the next one is not sent.' } },
  {
    channel: 'WEB_PUSH',
    what: 'a push to the browser',
    message: { title: 'Tidings from the demonstration', body: 'Encrypted for this browser alone.', url: 'https://tidings.example/news', buttons: [{ label: 'Read it', link: 'https://tidings.example/news' }] },
  },
  { channel: 'APP_PUSH', what: 'a push to the app', message: { title: 'Tidings from the demonstration', body: 'By FCM, to the phone.', customContent: { order: 1843 } } },
  { channel: 'WEB_HOOK', what: 'a signed hook', message: { title: 'Tidings from the demonstration', body: { order: 1843 } } },
  { channel: 'IN_APP', what: 'a message in the app', message: { title: 'Tidings from the demonstration', body: '<p>It waited for this app, which fetched it.</p>' } },
  { channel: 'ON_SITE', what: 'a message on the site', message: { title: 'Tidings from the demonstration', body: '<p>It waited for this visit.</p>', alignment: 'TOP' } },
] as const;

const POLL_MS = 150;
const INGEST_WITHIN_MS = 30_000;
const CAMPAIGN_WITHIN_MS = 60_000;

/**
 * From POST to outcome, on a running installation: people, events, a campaign, its report.
 * @throws with a sentence when any step does not end as it should
 */
export async function runDemonstration(local: LocalFile, { progress, colour, signal }: DemonstrationOptions): Promise<void> {
  const api: ApiAccess = { baseUrl: local.baseUrl, headers: { 'X-Application-Id': local.applicationId, 'X-API-Key': local.serverKey } };
  const run = Date.now().toString(36);
  const cast = castOf(run);
  const [first = cast.people[0]] = cast.people;
  if (first === undefined) throw new Error('The demonstration has nobody to write to.');
  progress.line(`\n${colour.bold('Demonstration')}`);

  const registrations = await progress.step(`Register ${cast.people.map(({ firstName }) => firstName).join(', ')}`, () => register(api, cast, run));
  const batch = await progress.step('Send a batch with an action, a revenue, a business event and a profile change', () =>
    callApi<IngestAccepted>(api, { method: 'POST', path: '/', body: { customUserId: first.customUserId, messages: messagesOf(run, Date.now()) } }),
  );
  await progress.step('Wait until every message is processed', async (note) => {
    for (const { requestId } of [...registrations, batch]) await awaitProcessed(api, requestId, { note, signal });
  });

  await progress.step('Give each of them a browser, a phone and a screen that fetches its messages', () => Promise.all(cast.people.map(({ customUserId }) => giveDevices(local, customUserId))));

  const recipients = [...cast.people.map(({ customUserId }) => customUserId), cast.stranger];
  const push = await progress.step(`Push an EMAIL campaign to ${cast.people.length} people and one id that nobody knows`, () =>
    callApi<PushAccepted>(api, { method: 'POST', path: '/push', body: { recipients, channel: 'EMAIL', message: MESSAGE } }),
  );
  const campaign = await progress.step(`Follow the campaign: an unknown id is looked up again for ${UNKNOWN_RECIPIENT_LOOKUP_SECONDS} s before it fails`, (note) =>
    awaitCompleted(api, push.campaignId, { note, signal }),
  );
  const { items } = await callApi<{ items: readonly DeliveryLine[] }>(api, { path: `/api/v1/campaigns/${push.campaignId}/deliveries?limit=100` });
  const campaignIds = [push.campaignId];
  for (const { channel, what, message } of OTHER_CAMPAIGNS) {
    await progress.step(`Send ${what} to each of the ${cast.people.length}`, async (note) => {
      const body = { recipients: cast.people.map(({ customUserId }) => customUserId), channel, message };
      const { campaignId } = await callApi<PushAccepted>(api, { method: 'POST', path: '/push', body });
      assertReachedEverybody(await awaitCompleted(api, campaignId, { note, signal }));
      campaignIds.push(campaignId);
    });
  }
  progress.line(campaignReport(campaign, items, colour));
  // Read again: what providers report of a message comes after its campaign has completed.
  const campaigns = await Promise.all(campaignIds.map((campaignId) => callApi<CampaignRecord>(api, { path: `/api/v1/campaigns/${campaignId}` })));
  progress.line(channelTable(campaigns, local.sandboxUrl, colour));
  progress.line(whereToLook(local, { campaignId: push.campaignId, customUserId: first.customUserId, requestId: batch.requestId }, colour));
  assertOutcome(campaign, cast);
}

function register(api: ApiAccess, { people }: Cast, run: string): Promise<readonly IngestAccepted[]> {
  return Promise.all(
    people.map(({ customUserId, ...profile }) =>
      callApi<IngestAccepted>(api, {
        method: 'POST',
        path: '/',
        body: { customUserId, messages: [{ type: 'user', id: `${run}-${customUserId}`, time: Date.now(), ...profile }] },
      }),
    ),
  );
}

type Waiting = { readonly note: (text: string) => void; readonly signal: AbortSignal };

async function awaitProcessed(api: ApiAccess, requestId: string, { note, signal }: Waiting): Promise<void> {
  for (const deadline = Date.now() + INGEST_WITHIN_MS; ; await delay(POLL_MS, undefined, { signal })) {
    const report = await readIngest(api, requestId);
    const open = report?.messages.filter(({ outcome }) => outcome === 'pending').length;
    note(open === undefined ? 'not read yet' : `${open} pending`);
    if (report?.complete) {
      const other = report.messages.find(({ outcome }) => outcome !== 'processed');
      if (other === undefined) return;
      throw new Error(`A ${other.type} message of request ${requestId} ended ${other.outcome} (${other.reason ?? 'no reason'}) instead of processed.`);
    }
    if (Date.now() > deadline) throw new Error(`Request ${requestId} was not processed in ${INGEST_WITHIN_MS / 1000} s: see the logs of users-consumer and events-consumer.`);
  }
}

/** Undefined until a consumer has read the record. */
async function readIngest(api: ApiAccess, requestId: string): Promise<IngestReport | undefined> {
  try {
    return await callApi<IngestReport>(api, { path: `/api/v1/ingest/${requestId}` });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

async function awaitCompleted(api: ApiAccess, campaignId: string, { note, signal }: Waiting): Promise<CampaignRecord> {
  for (const deadline = Date.now() + CAMPAIGN_WITHIN_MS; ; await delay(POLL_MS, undefined, { signal })) {
    const campaign = await callApi<CampaignRecord>(api, { path: `/api/v1/campaigns/${campaignId}` });
    note(`${campaign.status}, ${countsLine(campaign.counts)}`);
    if (campaign.status === 'completed') return campaign;
    if (campaign.status === 'failed' || campaign.status === 'canceled') throw new Error(`Campaign ${campaignId} ended ${campaign.status}.`);
    if (Date.now() > deadline) {
      throw new Error(`Campaign ${campaignId} did not complete in ${CAMPAIGN_WITHIN_MS / 1000} s (${countsLine(campaign.counts)}): see the logs of campaigns and the workers.`);
    }
  }
}

function assertOutcome({ counts, campaignId }: CampaignRecord, { people }: Cast): void {
  if (counts.successful === people.length && counts.failed === 1) return;
  throw new Error(`Campaign ${campaignId} should have ${people.length} successful and 1 failed, but: ${countsLine(counts)}.`);
}

function assertReachedEverybody({ counts, campaignId, channel }: CampaignRecord): void {
  const isShown = (INBOX_CHANNELS as readonly Channel[]).includes(channel);
  if (counts.successful === counts.total && (!isShown || counts.displayed === counts.total)) return;
  throw new Error(`Campaign ${campaignId} should have reached everybody, but: ${countsLine(counts)}${isShown ? `, ${counts.displayed} displayed` : ''}.`);
}
