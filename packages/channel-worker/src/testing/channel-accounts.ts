import { readChannelSettings, writeChannelAccounts } from '@tidings/accounts/channel-settings';
import type { NewCampaign } from '@tidings/delivery/accept';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import type { Database } from '@tidings/postgres/database';
import {
  createSendingCampaign,
  createTestApplication,
  recount,
  testSecretBox,
} from '@tidings/testing';
import type { SendResult } from '../channel.ts';
import { sendChunk } from '../send-chunk.ts';
import { scriptedChannel } from './scripted-channel.ts';
import { testWorker } from './test-worker.ts';

export const unending = new AbortController().signal;
export const DOWN: SendResult = { status: 'transient', reason: 'provider_unavailable' };
export const WRONG: SendResult = { status: 'configuration', reason: 'provider_auth' };
export const SENT: SendResult = { status: 'sent' };

type Accounts = Readonly<Record<string, { readonly share?: number; readonly isUntested?: true }>>;

/** An application whose e-mails go by accounts of these names; each host is the name. */
export async function createAccountsSubject(
  db: Database,
  {
    count = 20,
    accounts = { first: {}, second: {} } as Accounts,
    concurrency = 5,
    account = undefined as string | undefined,
  } = {},
) {
  const { applicationId } = await createTestApplication(db);
  const [first, ...others] = Object.entries(accounts).map(
    ([name, { share = null, isUntested }]) => ({
      name,
      status: isUntested === true ? ('untested' as const) : ('ready' as const),
      testedAt: null,
      settings: { host: name },
      secrets: { password: `of ${name}` },
      share,
      countries: null,
    }),
  );
  if (first === undefined) throw new Error('there is no account');
  await writeChannelAccounts(db, testSecretBox, {
    applicationId,
    channel: 'EMAIL',
    accounts: [
      {
        ...first,
        settings: { ...first.settings, fromAddress: 'shop@example.com' },
        secrets: { ...first.secrets, bounceSecret: 'of the channel' },
      },
      ...others,
    ],
  });
  const campaign = await createSendingCampaign(db, {
    applicationId,
    count,
    ...(account !== undefined && { account, source: 'test', recipients: ['me@example.org'] }),
  });
  await db.sql.query(
    `update users set fields = jsonb_build_object('email', custom_user_id || '@example.org') where application_id = $1`,
    [applicationId],
  );
  /** What each account answers. */
  const answers: Record<string, SendResult> = {};
  const channel = scriptedChannel(({ settings }) => answers[String(settings['host'])] ?? SENT);
  const worker = testWorker(db, channel, { concurrency });
  const sendOnce = () =>
    sendChunk(worker, { campaignId: campaign.campaignId, chunkNo: 0 }, unending);
  const settings = async () => {
    const found = await readChannelSettings(db, testSecretBox, { applicationId, channel: 'EMAIL' });
    if (found === null) throw new Error('there are no settings');
    return found;
  };
  return {
    applicationId,
    campaign,
    channel,
    worker,
    answers,
    settings,
    sendOnce,
    /** How often each account was asked. */
    asked: () => countBy(channel.calls.map((call) => String(call.settings['host']))),
    deliveries: () => listDeliveries(db, campaign.campaignId, { limit: 500 }),
  };
}

export function countBy(values: readonly (string | null)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[String(value)] = (counts[String(value)] ?? 0) + 1;
  return counts;
}

export const groupsIn =
  (db: Database) =>
  async ({ campaignId }: NewCampaign) =>
    (await recount(db, campaignId)).groups;
