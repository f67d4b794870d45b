import { readSettingsVersion } from '@tidings/accounts/channel-settings';
import type { Channel as ChannelName, Lane } from '@tidings/contracts/channels/channels';
import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import { pauseChannel } from '@tidings/delivery/channel-pauses';
import { pauseAccount } from '@tidings/channel-breakers/account-pauses';
import {
  deleteWorkerBreakers,
  recordClosedBreaker,
  recordOpenBreaker,
} from '@tidings/channel-breakers/open-breakers';
import { Counter, Gauge, sleep, type Clock, type Logger, type Timers } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { LRUCache } from 'lru-cache';
import type { Channel, SendResult } from '../channel.ts';
import type { Sender } from '../prepare.ts';
import type { SendSlots, SlotOwner } from '../send-slots.ts';
import { createBreaker, type Breaker, type BreakerChange, type AllowedSends } from './breaker.ts';
import { toHealthSignal } from './health-signal.ts';
import type { SendRateLimiter } from './send-rate-limiter.ts';

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
const accountPausesTotal = new Counter({
  name: 'tidings_worker_account_pauses_total',
  help: 'Accounts paused because of wrong settings, of channels with several.',
  labelNames: ['channel', 'reason'] as const,
});
const deferredTotal = new Counter({
  name: 'tidings_worker_deliveries_deferred_total',
  help: 'Claimed deliveries released unsent, by cause.',
  labelNames: ['channel', 'cause'] as const,
});

/**
 * After a configuration error, how long the account sends nothing, even if the pause could not be
 * stored.
 */
const MISCONFIGURED_BLOCK_MS = 1_000;
/**
 * Maximum wait for rate-limit tokens. It ends well before the claim lease; the rows are then
 * released.
 */
const TOKEN_WAIT_MAX_MS = 5_000;
/** Maximum remembered accounts. An evicted account counts as healthy. */
const ACCOUNTS_MAX = 10_000;

/**
 * Allows `slots` rows to be marked sending, each with a slot; or gives the delay after which each
 * row is due again.
 */
export type SendDecision =
  | { readonly slots: number; readonly ticket: Ticket }
  | { readonly delaysMs: number | readonly number[] };

/**
 * Call both methods exactly once for each slot: `observe` with the result (`not_sent` if the row
 * was not marked), `release` when the slot is free.
 */
export interface Ticket {
  observe(result: SendResult, sendMs?: number): void;
  release(): void;
}

/**
 * The sending state of one account in one version of its settings, or of the receiver that a message
 * names.
 */
export interface Account {
  readonly version: number;
  /** Milliseconds in which the account sends nothing; 0 if it may send now. */
  blockedForMs(): number;
  allowSends(wanted: number, options: AllowOptions): Promise<SendDecision>;
}

export type AllowOptions = {
  readonly lane: Lane;
  readonly rateLimiter: SendRateLimiter | null;
  /**
   * A test send skips the breaker and the rate limiter and waits the full timeout for a slot,
   * because a person waits for its result.
   */
  readonly isTest: boolean;
  readonly timeoutMs: number;
  /** Same as in `SendSlots.take`. */
  readonly onWait?: () => void;
  readonly signal: AbortSignal;
};

/** All accounts of one worker process. Each has its own breaker. */
export interface Accounts {
  of(campaign: CampaignToSend, sender: AccountName): Account;
  /**
   * Milliseconds in which this campaign cannot send by any of these accounts, as far as known before
   * a claim; 0 if it may send now.
   */
  blockedForMs(campaign: CampaignToSend, accounts: readonly string[]): Promise<number>;
  /**
   * Pauses an account because this version of the settings is wrong; with the last account that may
   * send also the channel, of which workers claim nothing until the settings change. Never rejects.
   */
  pause(campaign: CampaignToSend, sender: Sender, result: WrongSettings): Promise<void>;
  /** Removes this process's breakers from the database at shutdown. Never rejects. */
  close(): Promise<void>;
}

type WrongSettings = Extract<SendResult, { readonly status: 'configuration' }>;

/** One of several accounts, or an only one: its name does not matter. */
export type AccountName = { readonly version: number; readonly name: string };
/** The name of an only account. */
export const ONLY = '';

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
  /** By application, keys of accounts with an open breaker. One that is replaced or evicted counts as healthy. */
  const open = new Map<string, Set<string>>();
  const setOpen = (key: string, isOpen: boolean): void => {
    const application = key.slice(0, key.indexOf(' '));
    const keys = open.get(application) ?? new Set();
    const before = keys.size;
    if (isOpen) keys.add(key);
    else keys.delete(key);
    if (keys.size === 0) open.delete(application);
    else open.set(application, keys);
    if (keys.size !== before) openBreakers.inc({ channel: channelName }, keys.size - before);
  };
  /** Accounts that are being paused. */
  const pausing = new Map<string, Promise<void>>();
  const accounts = new LRUCache<string, Account>({
    max: ACCOUNTS_MAX,
    dispose: (_account, key) => setOpen(key, false),
  });
  /** The breakers of an application end with the version of its settings, whichever account they are of. */
  const forgetOlder = ({ applicationId }: CampaignToSend, version: number): void => {
    for (const key of open.get(applicationId) ?? [])
      if ((accounts.peek(key)?.version ?? 0) < version) accounts.delete(key);
  };
  /** Channels whose messages name a receiver have one account. */
  const receiverOf = ({ message }: CampaignToSend, name: string): string =>
    channel.receiverOf?.(message) ?? name;
  const keyOf = (campaign: CampaignToSend, name: string): string =>
    `${campaign.applicationId} ${receiverOf(campaign, name)}`;
  /** Writes run in order, so that the last change wins. */
  let recording: Promise<void> = Promise.resolve();

  const create = (campaign: CampaignToSend, { version, name }: AccountName): Account => {
    const { applicationId } = campaign;
    const key = {
      applicationId,
      channel: channelName,
      receiver: receiverOf(campaign, name),
      owner,
    };
    const onChange = (change: BreakerChange): void => {
      if (change.state === 'open') opensTotal.inc({ channel: channelName, cause: change.cause });
      // A send of an earlier version may end when its account is not used any more.
      if (accounts.peek(keyOf(campaign, name)) === account)
        setOpen(keyOf(campaign, name), change.state === 'open');
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
    const account = createAccount({
      channel: channelName,
      applicationId,
      version,
      breaker: createBreaker({ clock, onChange }),
      slots,
      clock,
    });
    return account;
  };

  async function pause(
    { applicationId }: CampaignToSend,
    { version, account, isOneOfSeveral }: Sender,
    { reason, providerCode, providerMessage }: WrongSettings,
  ): Promise<void> {
    const found = {
      applicationId,
      channel: channelName,
      version,
      reason,
      ...(providerCode !== undefined && { providerCode }),
      ...(providerMessage !== undefined && { providerMessage }),
    };
    try {
      const paused = isOneOfSeveral
        ? await db.transaction((sql) => pauseOneOf(sql, { ...found, account: account.name }))
        : { isAccountPaused: false, isChannelPaused: await pauseChannel(db.sql, found) };
      const fields = { applicationId, version, reason, providerCode };
      if (paused.isAccountPaused) {
        accountPausesTotal.inc({ channel: channelName, reason });
        logger.warn({ ...fields, account: account.name }, 'account paused: its settings are wrong');
      }
      if (paused.isChannelPaused) {
        pausesTotal.inc({ channel: channelName, reason });
        logger.warn(fields, 'channel paused: its settings are wrong');
      }
    } catch (error) {
      logger.warn({ err: error, applicationId }, 'channel pause could not be stored');
    }
  }

  return {
    of(campaign, sender) {
      const key = keyOf(campaign, sender.name);
      const known = accounts.get(key);
      if (known !== undefined && known.version >= sender.version) return known;
      forgetOlder(campaign, sender.version);
      const account = create(campaign, sender);
      accounts.set(key, account);
      return account;
    },
    async blockedForMs(campaign, names) {
      if (campaign.isTest) return 0;
      const all = names.map((name) => accounts.get(keyOf(campaign, name)));
      const heldMs = Math.min(...all.map((account) => account?.blockedForMs() ?? 0));
      const [known] = all;
      if (known === undefined || heldMs === 0) return slots.putOffMs(campaign);
      // Read the version only when the account is blocked: new settings are a new account.
      const version = await readSettingsVersion(db.sql, {
        applicationId: campaign.applicationId,
        channel: channelName,
      });
      return version === known.version ? heldMs : slots.putOffMs(campaign);
    },
    pause(campaign, sender, result) {
      if (campaign.isTest) return Promise.resolve();
      // Many sends of an account fail at once, and each pause locks the settings.
      const key = `${campaign.applicationId} ${sender.account.name} ${sender.version}`;
      const underway = pausing.get(key) ?? pause(campaign, sender, result);
      pausing.set(key, underway);
      return underway.finally(() => pausing.delete(key));
    },
    async close() {
      await recording;
      await deleteWorkerBreakers(db.sql, { channel: channelName, owner }).catch((error: unknown) =>
        logger.warn({ err: error }, 'breakers of this worker could not be deleted'),
      );
    },
  };
}

/** Pauses one of several accounts, and the channel if none is left that may send. */
async function pauseOneOf(
  sql: Sql,
  pause: Parameters<typeof pauseAccount>[1],
): Promise<{ readonly isAccountPaused: boolean; readonly isChannelPaused: boolean }> {
  const paused = await pauseAccount(sql, pause);
  return {
    isAccountPaused: paused !== 'none',
    isChannelPaused: paused === 'last' && (await pauseChannel(sql, pause)),
  };
}

type AccountTools = {
  readonly channel: string;
  readonly applicationId: string;
  readonly version: number;
  readonly breaker: Breaker;
  readonly slots: SendSlots;
  readonly clock: Pick<Clock, 'monotonicMs'> & Timers;
};

export function createAccount({
  channel,
  applicationId,
  version,
  breaker,
  slots,
  clock,
}: AccountTools): Account {
  let blockedUntil = -Infinity;
  const release = (owner: SlotOwner, count: number): void => {
    for (let index = 0; index < count; index += 1) slots.release(owner);
  };
  const ticketOf = (owner: SlotOwner, epoch: number, isTest: boolean): Ticket => ({
    observe(result, sendMs) {
      const health = toHealthSignal(result);
      if (sendMs !== undefined) slots.recordSendMs(applicationId, sendMs);
      if (health === 'misconfigured' && !isTest)
        blockedUntil = clock.monotonicMs() + MISCONFIGURED_BLOCK_MS;
      if (!isTest)
        breaker.report(epoch, health, 'retryAfterMs' in result ? result.retryAfterMs : undefined);
      else if (health === 'works') breaker.close();
    },
    release: () => release(owner, 1),
  });
  const blockedForMs = (): number =>
    Math.max(breaker.blockedForMs(), blockedUntil - clock.monotonicMs(), 0);
  /** Checks the breaker again after the wait for slots: it may have opened meanwhile. */
  const allowByBreaker = (sends: number, isTest: boolean): AllowedSends => {
    if (isTest) return { sends, epoch: -1 };
    return blockedForMs() > 0 ? { sends: 0, epoch: -1 } : breaker.allow(sends);
  };
  const defer = (
    wanted: number,
    {
      cause,
      delaysMs,
    }: {
      readonly cause: 'breaker' | 'slots' | 'rate';
      readonly delaysMs: number | readonly number[];
    },
  ): SendDecision => {
    deferredTotal.inc({ channel, cause }, wanted);
    return { delaysMs };
  };

  return {
    version,
    blockedForMs,
    async allowSends(wanted, { lane, rateLimiter, isTest, timeoutMs, onWait, signal }) {
      const owner = { lane, applicationId };
      const startedAt = clock.monotonicMs();
      for (;;) {
        const blockedMs = isTest ? 0 : blockedForMs();
        if (blockedMs > 0) return defer(wanted, { cause: 'breaker', delaysMs: blockedMs });
        const taken = await slots.take(wanted, {
          ...owner,
          timeoutMs,
          isPatient: isTest,
          ...(onWait !== undefined && { onWait }),
          signal,
        });
        if (taken === 0) return defer(wanted, { cause: 'slots', delaysMs: slots.queueMs(owner) });
        const allowed = allowByBreaker(taken, isTest);
        const sends =
          rateLimiter === null || isTest ? allowed.sends : await rateLimiter.take(allowed.sends);
        release(owner, taken - sends);
        // Allowed sends without a token are not made; this also ends a probe.
        for (let unused = sends; unused < allowed.sends; unused += 1)
          breaker.report(allowed.epoch, 'nothing');
        if (sends > 0) return { slots: sends, ticket: ticketOf(owner, allowed.epoch, isTest) };
        if (allowed.sends === 0) continue;
        const waitMs =
          clock.monotonicMs() - startedAt > TOKEN_WAIT_MAX_MS
            ? null
            : (rateLimiter?.waitMs(wanted) ?? null);
        if (waitMs === null)
          return defer(wanted, { cause: 'rate', delaysMs: rateLimiter?.queue(wanted) ?? 0 });
        // Hold no slot during the wait, so that others can send.
        await sleep(clock, waitMs, signal);
      }
    },
  };
}
