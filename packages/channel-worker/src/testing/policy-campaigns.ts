import { expect } from '@jest/globals';
import type { SettingsChange } from '@tidings/accounts/applications';
import { acceptCampaign, type NewCampaign } from '@tidings/delivery/accept';
import { takeChunks } from '@tidings/delivery/chunks';
import { readCampaign } from '@tidings/campaign-reports/reports';
import { updateApplication } from '@tidings/people/update-application';
import { systemClock } from '@tidings/platform';
import {
  createSendingApplication,
  expandAll,
  newCampaign,
  recount,
  registerUsers,
  someIds,
} from '@tidings/testing';
import type { SendResult } from '../channel.ts';
import { sendChunk } from '../send-chunk.ts';
import { chunkHelpers, chunkOf, unending } from './first-chunk.ts';
import { scriptedChannel } from './scripted-channel.ts';
import { testWorker } from './test-worker.ts';
import { createPolicyCache } from '../settings-cache.ts';
import type { Database } from '@tidings/postgres/database';

/** Helpers for tests of send policies. */
export function policyHelpers(db: Database) {
  const { deliveries } = chunkHelpers(db);

  async function applicationWith(settings: SettingsChange): Promise<string> {
    const { applicationId } = await createSendingApplication(db);
    await updateApplication(db, applicationId, { settings });
    return applicationId;
  }

  async function campaignTo(
    applicationId: string,
    recipients: readonly string[],
    overrides: Partial<NewCampaign> = {},
  ): Promise<NewCampaign> {
    const campaign = newCampaign({
      applicationId,
      purpose: 'marketing',
      recipients: [...recipients],
      ...overrides,
    });
    await acceptCampaign(db, campaign);
    await expandAll(db, campaign.campaignId);
    return campaign;
  }

  async function registered(applicationId: string, count: number): Promise<string[]> {
    const users = someIds(count);
    await registerUsers(db, applicationId, users);
    return users;
  }

  const send = (
    campaign: NewCampaign,
    options: {
      readonly answer?: () => SendResult;
      readonly at?: string;
      readonly channelName?: 'EMAIL' | 'SMS';
    } = {},
  ) => {
    const channel = scriptedChannel(options.answer);
    const clock = {
      ...systemClock,
      now: () => (options.at === undefined ? Date.now() : Date.parse(options.at)),
    };
    const channelName = options.channelName ?? 'EMAIL';
    return {
      channel,
      done: sendChunk(
        testWorker(db, channel, {
          clock,
          channelName,
          policies: createPolicyCache(db, channelName),
        }),
        chunkOf(campaign),
        unending,
      ),
    };
  };

  async function sent(
    campaign: NewCampaign,
    options: Parameters<typeof send>[1] = {},
  ): Promise<number> {
    const { channel, done } = send(campaign, options);
    await done;
    return channel.calls.length;
  }

  const makeDue = ({ campaignId }: NewCampaign) =>
    db.sql.query('update deliveries set next_at = now() where campaign_id = $1', [campaignId]);

  /** Due time of the chunk after the sweep; null if it is never due. */
  const dueIn = async (campaign: NewCampaign) => {
    const { campaignId } = campaign;
    await db.sql.query('update campaign_chunks set due_at = now() where campaign_id = $1', [
      campaignId,
    ]);
    expect(await takeChunks(db, [chunkOf(campaign)], 1_000)).toEqual([]);
    const { rows } = await db.sql.query<{ in_ms: number | null }>(
      'select extract(epoch from due_at - now())::float8 * 1000 as in_ms from campaign_chunks where campaign_id = $1',
      [campaignId],
    );
    return rows[0]?.in_ms;
  };

  const countersAreRight = async (campaign: NewCampaign) => {
    const record = await readCampaign(db, campaign.applicationId, campaign.campaignId);
    const { groups, failures } = await recount(db, campaign.campaignId);
    expect({
      pending: record?.counts.pending,
      failed: record?.counts.failed,
      failures: record?.failures,
    }).toEqual({ pending: groups['pending'] ?? 0, failed: groups['failed'] ?? 0, failures });
  };

  return {
    deliveries,
    applicationWith,
    campaignTo,
    registered,
    send,
    sent,
    makeDue,
    dueIn,
    countersAreRight,
  };
}
