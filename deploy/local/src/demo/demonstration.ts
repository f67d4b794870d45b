import type { IngestAccepted } from '@tidings/contracts/ingest/ingest';
import {
  UNKNOWN_RECIPIENT_RETRY_SECONDS,
  type CampaignRecord,
  type PushAccepted,
} from '@tidings/contracts/push/campaigns';
import { callApi, type ApiAccess } from '@tidings/install';
import type { Palette, Progress } from '../../progress.mjs';
import type { LocalFile } from '../local-file.ts';
import { registerDevices } from './devices.ts';
import {
  assertReachedReader,
  createSegmentAndTemplate,
  DEMO_SEGMENT,
  DEMO_TEMPLATE,
} from './segment.ts';
import { activateAutomation, awaitEntered, DEMO_AUTOMATION } from './automation.ts';
import { createFunnel, DEMO_FUNNEL, sendHistory } from './history.ts';
import { createAudience, buildMessages, type DemoAudience } from './audience.ts';
import { awaitRead, simulateReaders } from './simulated-readers.ts';
import {
  campaignReport,
  channelTable,
  countsLine,
  nextSteps,
  type DeliveryLine,
} from './report.ts';
import { awaitArrived, awaitCompleted, awaitProcessed } from './waiting.ts';

export type DemonstrationOptions = {
  readonly progress: Progress;
  readonly colour: Palette;
  readonly signal: AbortSignal;
};

const MESSAGE = {
  title: 'Tidings from the demonstration',
  body: '<p>It went all the way: Postgres, a worker, SMTP.</p><p><a href="https://tidings.example/news">Read the news</a></p>',
};
/** Channels besides EMAIL, whose campaign is shown in detail. */
const OTHER_CAMPAIGNS = [
  {
    channel: 'SMS',
    what: 'an SMS',
    message: {
      body: 'Tidings from the demonstration 👋 Reply STOP in the sandbox to receive no more.',
    },
  },
  {
    channel: 'WEB_PUSH',
    what: 'a web push',
    message: {
      title: 'Tidings from the demonstration',
      body: 'Encrypted for this browser only.',
      url: 'https://tidings.example/news',
      buttons: [{ label: 'Read it', link: 'https://tidings.example/news' }],
    },
  },
  {
    channel: 'APP_PUSH',
    what: 'an app push',
    message: {
      title: 'Tidings from the demonstration',
      body: 'Sent to the phone by FCM.',
      customContent: { order: 1843 },
    },
  },
  {
    channel: 'WEB_HOOK',
    what: 'a signed hook',
    message: { title: 'Tidings from the demonstration', body: { order: 1843 } },
  },
  {
    channel: 'IN_APP',
    what: 'an in-app message',
    message: {
      title: 'Tidings from the demonstration',
      body: '<p>This app fetched it.</p>',
    },
  },
  {
    channel: 'ON_SITE',
    what: 'an on-site message',
    message: {
      title: 'Tidings from the demonstration',
      body: '<p>Shown on the next visit.</p>',
      alignment: 'TOP',
    },
  },
] as const;

/** Shared by the parts of the demonstration. */
type Demo = DemonstrationOptions & {
  readonly local: LocalFile;
  readonly api: ApiAccess;
  readonly run: string;
  readonly audience: DemoAudience;
  readonly customUserIds: readonly string[];
};

/**
 * The demonstration: users, events, a campaign and its report, on a running installation.
 * @throws with a message if a step does not end as expected
 */
export async function runDemonstration(
  local: LocalFile,
  options: DemonstrationOptions,
): Promise<void> {
  const { progress, colour } = options;
  const run = Date.now().toString(36);
  const audience = createAudience(run);
  const customUserIds = audience.users.map((user) => user.customUserId);
  const [customUserId] = customUserIds;
  if (customUserId === undefined) throw new Error('The demonstration has no users.');
  const headers = { 'X-Application-Id': local.applicationId, 'X-API-Key': local.serverKey };
  const api: ApiAccess = { baseUrl: local.baseUrl, headers };
  const demo: Demo = { ...options, local, api, run, audience, customUserIds };

  progress.line(`\n${colour.bold('Demonstration')}`);
  const { requestId } = await sendEvents(demo, customUserId);
  const campaign = await sendEmails(demo);
  await sendToSegment(demo, customUserId);
  await leaveCart(demo, customUserId);
  const campaigns = [campaign, ...(await sendOtherCampaigns(demo))];
  const table = await simulateReading(demo, campaigns);

  const { campaignId } = campaign;
  const { items } = await callApi<{ items: readonly DeliveryLine[] }>(api, {
    path: `/api/v1/campaigns/${campaignId}/deliveries?limit=100`,
  });
  progress.line(campaignReport(campaign, items, colour));
  progress.line(table);
  progress.line(
    nextSteps(
      local,
      {
        campaignId,
        customUserId,
        requestId,
        segment: DEMO_SEGMENT.slug,
        automation: DEMO_AUTOMATION.slug,
      },
      colour,
    ),
  );
  assertOutcome(campaign, audience);
}

/** Registers the users and their devices and sends a batch of events; resolves when all is stored. */
async function sendEvents(demo: Demo, customUserId: string): Promise<IngestAccepted> {
  const { local, api, run, audience, customUserIds, progress, signal } = demo;
  const registrations = await progress.step(
    `Register ${audience.users.map(({ firstName }) => firstName).join(', ')}`,
    () => register(api, audience, run),
  );
  const batch = await progress.step(
    'Send a batch: an action, a revenue, a business event and a profile change',
    () =>
      callApi<IngestAccepted>(api, {
        method: 'POST',
        path: '/',
        body: { customUserId, messages: buildMessages(run, Date.now()) },
      }),
  );
  await progress.step('Wait until every message is processed', async (note) => {
    for (const { requestId } of [...registrations, batch])
      await awaitProcessed(api, requestId, { note, signal });
  });
  await progress.step('Register a browser, a phone and an app for each user', () =>
    Promise.all(customUserIds.map((each) => registerDevices(local, each))),
  );
  return batch;
}

/** The EMAIL campaign of the report; it also has an unknown recipient. */
async function sendEmails(demo: Demo): Promise<CampaignRecord> {
  const { api, audience, customUserIds, progress, signal } = demo;
  const { campaignId } = await progress.step(
    `Push an EMAIL campaign to ${customUserIds.length} users and one unknown id`,
    () =>
      push(api, {
        recipients: [...customUserIds, audience.unknownUserId],
        channel: 'EMAIL',
        message: MESSAGE,
      }),
  );
  return progress.step(
    `Wait for the campaign (an unknown id is retried for ${UNKNOWN_RECIPIENT_RETRY_SECONDS} s before it fails), and send twelve weeks of a shop’s events meanwhile`,
    async (note) => {
      const [completed] = await Promise.all([
        awaitCompleted(api, campaignId, { note, signal }),
        sendHistory(api, { signal }),
      ]);
      return completed;
    },
  );
}

/** A personal e-mail to the users of a segment: of this run, the one who read an article. */
async function sendToSegment(demo: Demo, reader: string): Promise<void> {
  const { local, api, customUserIds, progress, signal } = demo;
  await progress.step(
    `Create the segment “${DEMO_SEGMENT.name}” and the template “${DEMO_TEMPLATE.name}”`,
    () => createSegmentAndTemplate(local),
  );
  await progress.step('Send the template to the segment', async (note) => {
    const { campaignId } = await push(api, {
      segment: DEMO_SEGMENT.slug,
      channel: DEMO_TEMPLATE.channel,
      template: DEMO_TEMPLATE.slug,
    });
    const completed = await awaitCompleted(api, campaignId, { note, signal });
    const others = customUserIds.filter((each) => each !== reader);
    await assertReachedReader(api, completed, { reader, others });
  });
}

/** Someone fills a cart: a minute later they get a mail about it, unless they order. */
async function leaveCart(demo: Demo, customUserId: string): Promise<void> {
  const { local, api, run, progress, signal } = demo;
  await progress.step(`Activate the automation “${DEMO_AUTOMATION.definition.name}”`, () =>
    activateAutomation(local),
  );
  await progress.step(`Create the funnel “${DEMO_FUNNEL.name}”`, () => createFunnel(local));
  await progress.step('Fill a cart; a mail about it follows in a minute', async () => {
    const message = {
      type: 'action',
      id: `${run}-cart`,
      time: Date.now(),
      customName: 'cart_filled',
    };
    await callApi(api, {
      method: 'POST',
      path: '/',
      body: {
        customUserId,
        messages: [{ ...message, attributes: { name: 'Gyokuro', price: 22 } }],
      },
    });
    await awaitEntered(api, customUserId, signal);
  });
}

async function sendOtherCampaigns(demo: Demo): Promise<readonly CampaignRecord[]> {
  const { api, customUserIds, progress, signal } = demo;
  const campaigns: CampaignRecord[] = [];
  for (const { channel, what, message } of OTHER_CAMPAIGNS) {
    await progress.step(
      `Send ${what} to each of the ${customUserIds.length} users`,
      async (note) => {
        const { campaignId } = await push(api, { recipients: customUserIds, channel, message });
        const completed = await awaitCompleted(api, campaignId, { note, signal });
        assertReachedAll(completed);
        campaigns.push(completed);
      },
    );
  }
  return campaigns;
}

/** Simulates readers of all campaigns; returns the table of the counted results. */
async function simulateReading(
  { local, api, customUserIds, progress, colour, signal }: Demo,
  campaigns: readonly CampaignRecord[],
): Promise<string> {
  const sandbox: ApiAccess = { baseUrl: local.sandboxUrl, headers: {} };
  const reading = { api, sandbox, customUserIds, signal };
  const arrived = await progress.step('Wait until every message is at the sandbox', () =>
    awaitArrived(campaigns, reading),
  );
  await progress.step('Simulate readers: some open, some click, some dismiss', async () => {
    for (const each of campaigns) await simulateReaders(each, reading);
  });
  const read = await progress.step('Wait until the reports count their actions', () =>
    Promise.all(campaigns.map((each) => awaitRead(each, reading))),
  );
  const lines = read.map((each) => ({ ...each, arrived: arrived.get(each.campaignId) ?? 0 }));
  return channelTable(lines, local.sandboxUrl, colour);
}

function push(api: ApiAccess, body: object): Promise<Pick<PushAccepted, 'campaignId'>> {
  return callApi<Pick<PushAccepted, 'campaignId'>>(api, { method: 'POST', path: '/push', body });
}

function register(
  api: ApiAccess,
  { users }: DemoAudience,
  run: string,
): Promise<readonly IngestAccepted[]> {
  return Promise.all(
    users.map(({ customUserId, ...profile }) =>
      callApi<IngestAccepted>(api, {
        method: 'POST',
        path: '/',
        body: {
          customUserId,
          messages: [{ type: 'user', id: `${run}-${customUserId}`, time: Date.now(), ...profile }],
        },
      }),
    ),
  );
}

function assertOutcome({ counts, campaignId }: CampaignRecord, { users }: DemoAudience): void {
  if (counts.successful === users.length && counts.failed === 1) return;
  throw new Error(
    `Campaign ${campaignId} should have ${users.length} successful and 1 failed, but: ${countsLine(counts)}.`,
  );
}

/** Messages that wait for a device are checked later, when the simulated readers have seen them. */
function assertReachedAll({ counts, campaignId }: CampaignRecord): void {
  if (counts.successful + counts.waiting === counts.total) return;
  throw new Error(
    `Campaign ${campaignId} should have reached every user, but: ${countsLine(counts)}.`,
  );
}
