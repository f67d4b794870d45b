import { readSettingsVersion } from '@tidings/accounts/channel-settings';
import type { Channel as ChannelName } from '@tidings/contracts';
import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import { pauseChannel } from '@tidings/delivery/channel-pauses';
import {
  deleteBreakersOf,
  recordClosedBreaker,
  recordOpenBreaker,
} from '@tidings/delivery/open-breakers';
import { Counter, Gauge, type Clock, type Logger, type Timers } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { LRUCache } from 'lru-cache';
import type { Channel, SendResult } from '../channel.ts';
import type { SendSlots } from '../send-slots.ts';
import { createAccount, type Account } from './account.ts';
import { createBreaker, type BreakerChange } from './breaker.ts';

const opensTotal = new Counter({
  name: 'tidings_worker_breaker_opens_total',
  help: 'Breakers that opened, or stayed open after a failed probe, by cause.',
  labelNames: ['channel', 'cause'] as const,
});
const openBreakers = new Gauge({
  name: 'tidings_worker_open_breakers',
  help: 'Accounts with an open breaker in this worker: nothing is sent until a probe succeeds.',
  labelNames: ['channel'] as const,
});
const pausesTotal = new Counter({
  name: 'tidings_worker_channel_pauses_total',
  help: 'Channels of applications paused because of wrong settings.',
  labelNames: ['channel', 'reason'] as const,
});

/** Maximum remembered accounts. An evicted account counts as healthy. */
const ACCOUNTS_MAX = 10_000;

/** All accounts of one worker process. Each has its own breaker. */
export interface Accounts {
  of(campaign: CampaignToSend, version: number): Account;
  /**
   * Milliseconds in which this campaign cannot send, as far as known before a claim; 0 if it may
   * send now.
   */
  blockedForMs(campaign: CampaignToSend): Promise<number>;
  /**
   * Pauses the channel because this version of its settings is wrong; workers claim nothing until
   * the settings change. Never rejects.
   */
  pause(
    campaign: CampaignToSend,
    version: number,
    result: Extract<SendResult, { readonly status: 'configuration' }>,
  ): Promise<void>;
  /** Removes this process's breakers from the database at shutdown. Never rejects. */
  close(): Promise<void>;
}

type AccountsTools = {
  readonly channelName: ChannelName;
  readonly channel: Pick<Channel, 'receiverOf'>;
  readonly db: Database;
  readonly slots: SendSlots;
  readonly clock: Pick<Clock, 'monotonicMs'> & Timers;
  readonly logger: Logger;
  readonly owner: string;
};

export function createAccounts({
  channelName,
  channel,
  db,
  slots,
  clock,
  logger,
  owner,
}: AccountsTools): Accounts {
  const accounts = new LRUCache<string, Account>({ max: ACCOUNTS_MAX });
  const receiverOf = ({ message }: CampaignToSend): string => channel.receiverOf?.(message) ?? '';
  const keyOf = (campaign: CampaignToSend): string =>
    `${campaign.applicationId} ${receiverOf(campaign)}`;
  /** Writes run in order, so that the last change wins. */
  let recording: Promise<void> = Promise.resolve();

  const create = (campaign: CampaignToSend, version: number): Account => {
    const { applicationId } = campaign;
    const key = { applicationId, channel: channelName, receiver: receiverOf(campaign), owner };
    let isOpen = false;
    const onChange = (change: BreakerChange): void => {
      if (change.state === 'open') opensTotal.inc({ channel: channelName, cause: change.cause });
      if (isOpen !== (change.state === 'open'))
        openBreakers.inc({ channel: channelName }, isOpen ? -1 : 1);
      isOpen = change.state === 'open';
      logger.info({ applicationId, version, ...change }, 'breaker changed');
      recording = recording
        .then(() =>
          change.state === 'open'
            ? recordOpenBreaker(db.sql, { ...key, version, ...change })
            : recordClosedBreaker(db.sql, key),
        )
        .catch((error: unknown) =>
          logger.warn({ err: error, applicationId }, 'breaker state could not be stored'),
        );
    };
    return createAccount({
      channel: channelName,
      applicationId,
      version,
      breaker: createBreaker({ clock, onChange }),
      slots,
      clock,
    });
  };

  return {
    of(campaign, version) {
      const known = accounts.get(keyOf(campaign));
      if (known !== undefined && known.version >= version) return known;
      const account = create(campaign, version);
      accounts.set(keyOf(campaign), account);
      return account;
    },
    async blockedForMs(campaign) {
      if (campaign.isTest) return 0;
      const known = accounts.get(keyOf(campaign));
      const heldMs = known?.blockedForMs() ?? 0;
      if (known === undefined || heldMs === 0) return slots.putOffMs(campaign);
      // Read the version only when the account is blocked: new settings are a new account.
      const version = await readSettingsVersion(db.sql, {
        applicationId: campaign.applicationId,
        channel: channelName,
      });
      return version === known.version ? heldMs : slots.putOffMs(campaign);
    },
    async pause({ applicationId, isTest }, version, { reason, providerCode, providerMessage }) {
      if (isTest) return;
      const said = {
        ...(providerCode !== undefined && { providerCode }),
        ...(providerMessage !== undefined && { providerMessage }),
      };
      try {
        if (
          !(await pauseChannel(db.sql, {
            applicationId,
            channel: channelName,
            version,
            reason,
            ...said,
          }))
        )
          return;
        pausesTotal.inc({ channel: channelName, reason });
        logger.warn(
          { applicationId, version, reason, providerCode },
          'channel paused: its settings are wrong',
        );
      } catch (error) {
        logger.warn({ err: error, applicationId }, 'channel pause could not be stored');
      }
    },
    async close() {
      await recording;
      await deleteBreakersOf(db.sql, { channel: channelName, owner }).catch((error: unknown) =>
        logger.warn({ err: error }, 'breakers of this worker could not be deleted'),
      );
    },
  };
}
