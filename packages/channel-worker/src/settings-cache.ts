import { getApplication } from '@tidings/accounts/applications';
import { readChannelSettings, type ChannelSettings } from '@tidings/accounts/channel-settings';
import { readAccountPauses } from '@tidings/channel-breakers/account-pauses';
import type { Channel } from '@tidings/contracts/channels/channels';
import { readCampaignsToSend, type CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import { createMicroBatcher, stringifyExactJson, type SecretBox } from '@tidings/platform';
import { dataErrorState, type Database } from '@tidings/postgres/database';
import { LRUCache } from 'lru-cache';
import { resolvePolicies, type SendPolicies } from './policies/send-policies.ts';

/**
 * Caches what many deliveries share: a campaign's message and an application's settings by version.
 */
export interface SettingsCache {
  campaign(campaignId: string): Promise<CampaignToSend | null>;
  settings(applicationId: string, version: number): Promise<SettingsToSend | null>;
  /** Reads the settings anew at their next use: an account was paused. */
  forgetSettings(applicationId: string): void;
}

/** The settings of a channel, and which of several accounts are paused. */
export type SettingsToSend = ChannelSettings & { readonly pausedAccounts: ReadonlySet<string> };

const ENTRIES_MAX = 200;
const CAMPAIGN_TTL_MS = 60_000;
/** Templates with their variants are larger than messages. */
const TEMPLATE_CHARS_MAX = 32 * 1024 * 1024;
/** Maximum campaigns per statement: messages may be large. */
const CAMPAIGNS_PER_READ = 20;
const READS_MAX = 2;
/** Of several accounts others become ready, paused and resumed without a new version. */
export const ACCOUNTS_TTL_MS = 5_000;

/** Campaigns only, for channels without settings. */
export function createCampaignCache(db: Database): Pick<SettingsCache, 'campaign'> {
  const campaigns = new LRUCache<string, CampaignToSend>({
    max: ENTRIES_MAX,
    ttl: CAMPAIGN_TTL_MS,
    maxSize: TEMPLATE_CHARS_MAX,
    sizeCalculation: ({ templates }) =>
      templates === null ? 1 : stringifyExactJson(templates).length,
  });
  const reads = createMicroBatcher<string, CampaignToSend | null>({
    async run(campaignIds) {
      const found = await readCampaignsToSend(db.sql, campaignIds);
      return campaignIds.map((id) => found.get(id) ?? null);
    },
    isOwnFault: (error) => dataErrorState(error) !== undefined,
    itemsMax: CAMPAIGNS_PER_READ,
    runsMax: READS_MAX,
  });
  return {
    async campaign(campaignId) {
      const known = campaigns.get(campaignId);
      // Read an expired campaign again: a retry of its failures extends its time.
      if (known !== undefined && known.expiresAt > Date.now()) return known;
      const campaign = await reads.add(campaignId);
      // What the rest of its recipients gets is decided at any moment.
      if (campaign !== null && campaign.trial?.choice !== null) campaigns.set(campaignId, campaign);
      return campaign;
    },
  };
}

export function createSettingsCache(db: Database, box: SecretBox, channel: Channel): SettingsCache {
  const settings = new LRUCache<string, SettingsToSend>({ max: ENTRIES_MAX });
  const reads = new Map<string, Promise<SettingsToSend | null>>();
  async function read(applicationId: string): Promise<SettingsToSend | null> {
    const stored = await readChannelSettings(db, box, { applicationId, channel });
    if (stored === null) return null;
    const hasSeveral = stored.others.length > 0;
    const pausedAccounts = new Set(
      hasSeveral ? (await readAccountPauses(db.sql, stored)).keys() : [],
    );
    return { ...stored, pausedAccounts };
  }
  return {
    ...createCampaignCache(db),
    async settings(applicationId, version) {
      const known = settings.get(applicationId);
      if (known !== undefined && known.version >= version) return known;
      // Many chunks of an application ask at once. One that needs a later version asks again.
      const reading = reads.get(applicationId) ?? read(applicationId);
      reads.set(applicationId, reading);
      const current = await reading.finally(() => {
        if (reads.get(applicationId) === reading) reads.delete(applicationId);
      });
      if (current === null) return null;
      settings.set(
        applicationId,
        current,
        current.others.length > 0 ? { ttl: ACCOUNTS_TTL_MS } : {},
      );
      return current.version >= version ? current : read(applicationId);
    },
    forgetSettings(applicationId) {
      settings.delete(applicationId);
      reads.delete(applicationId);
    },
  };
}

/** Caches the policies of applications for 5 seconds. */
export interface PolicyCache {
  of(applicationId: string): Promise<SendPolicies>;
}

const POLICIES_MAX = 1_000;
const POLICIES_TTL_MS = 5_000;

export function createPolicyCache(db: Database, channel: Channel): PolicyCache {
  const policies = new LRUCache<string, SendPolicies>({ max: POLICIES_MAX, ttl: POLICIES_TTL_MS });
  return {
    async of(applicationId) {
      const known = policies.get(applicationId);
      if (known !== undefined) return known;
      const current = resolvePolicies(
        channel,
        (await getApplication(db, applicationId))?.settings ?? {},
      );
      policies.set(applicationId, current);
      return current;
    },
  };
}
