import { accountsOf, type ChannelAccount } from '@tidings/accounts/channel-settings';
import { hasCountries } from '@tidings/contracts/channels/accounts';
import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import { countryOf } from '@tidings/people/e164';
import { ONLY } from './accounts/accounts.ts';
import {
  chooseAccount,
  hasNextAccount,
  orderAccounts,
  type AccountHealth,
  type Candidates,
} from './accounts/choose-account.ts';
import type { SendRateLimiters } from './accounts/send-rate-limiter.ts';
import { CONFIGURATION_RETRY_MS } from './outcomes.ts';
import type { SendPolicies } from './policies/send-policies.ts';
import { accountKeyOf, type Prepared, type Sender } from './prepare.ts';
import { sendGroup, type GroupDependencies } from './send-group.ts';
import type { SettingsToSend } from './settings-cache.ts';
import { releaseUnsent } from './unsent.ts';

/** The result reported for secrets that cannot be decrypted. */
const UNREADABLE_SECRETS = {
  status: 'configuration',
  reason: 'provider_auth',
  providerCode: 'unreadable_secrets',
  providerMessage: 'the channel secrets were encrypted with another ENCRYPTION_KEY',
} as const;

export type AccountDependencies = GroupDependencies & {
  readonly rateLimiters: SendRateLimiters;
  /**
   * Maximum wait for a free slot. The rows are then released, so that a slow provider does not
   * block a partition.
   */
  readonly slotWaitMs: number;
};

type Rows = {
  readonly campaign: CampaignToSend;
  readonly settings: SettingsToSend;
  readonly policies: SendPolicies;
  readonly open: readonly Prepared[];
  /** Called if rows wait for a slot. */
  readonly onWait: () => void;
};

/** Rows that one account sends. */
type Way = { readonly sender: Sender; readonly rows: readonly Prepared[] };
/** A row that no account may send now, and when it is due again. */
type Waiting = { readonly row: Prepared; readonly delayMs: number };

/**
 * Sends each row by its account. Returns false if rows were released unsent: no slot, no token, or
 * no account that may send.
 */
export async function sendByAccounts(
  deps: AccountDependencies,
  rows: Rows,
  signal: AbortSignal,
): Promise<boolean> {
  const { campaign, settings } = rows;
  const router = createRouter(deps, rows);
  for (const { account, ...sender } of router.senders)
    if (account.secrets === null && !settings.pausedAccounts.has(account.name))
      await deps.accounts.pause(campaign, { ...sender, account }, UNREADABLE_SECRETS);

  const underway: Promise<void>[] = [];
  const waiting: Waiting[] = [];
  try {
    let { open } = rows;
    // Meanwhile an account may fail: what it did not send goes by another at once, but not in circles.
    for (const _ of router.senders) {
      const ways = router.route(open, waiting);
      const left = await sendWays(deps, { rows, router, ways, underway }, signal);
      const moved = signal.aborted ? [] : left.filter(({ row }) => router.isNowElsewhere(row));
      waiting.push(...left.filter((one) => !moved.includes(one)));
      open = moved.map(({ row }) => row);
    }
    waiting.push(...open.map((row) => ({ row, delayMs: 0 })));
    await releaseUnsent(deps, campaign.lane, {
      rows: waiting.map(({ row: { delivery } }) => delivery),
      delaysMs: signal.aborted ? 0 : waiting.map(({ delayMs }) => delayMs),
    });
  } finally {
    // Even after a database failure, finish and record the sends in flight.
    await Promise.allSettled(underway);
  }
  await Promise.all(underway);
  signal.throwIfAborted();
  return waiting.length === 0;
}

type Sending = {
  readonly rows: Rows;
  readonly router: Router;
  readonly ways: readonly Way[];
  readonly underway: Promise<void>[];
};

/** Accounts send beside each other: a slow one keeps no other waiting. Returns what they left. */
async function sendWays(
  deps: AccountDependencies,
  { rows, router, ways, underway }: Sending,
  signal: AbortSignal,
): Promise<Waiting[]> {
  const results = await Promise.allSettled(
    ways.map((way) => sendWay(deps, { ...rows, router, underway, ...way }, signal)),
  );
  return results.flatMap((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

async function sendWay(
  deps: AccountDependencies,
  {
    campaign,
    policies,
    onWait,
    router,
    underway,
    sender,
    rows,
  }: Omit<Rows, 'open'> & Omit<Sending, 'rows' | 'ways'> & Way,
  signal: AbortSignal,
): Promise<Waiting[]> {
  const queue = [...rows];
  const account = deps.accounts.of(campaign, nameOf(sender));
  const options = {
    rateLimiter: deps.rateLimiters.of(accountKeyOf(campaign, sender), sender.account.settings),
    isTest: campaign.isTest,
    lane: campaign.lane,
    timeoutMs: deps.slotWaitMs,
    onWait,
    signal,
  };
  while (queue.length > 0) {
    const decision = await account.allowSends(queue.length, options);
    if ('delaysMs' in decision) {
      const { delaysMs } = decision;
      return queue.map((row, index) => ({
        row,
        delayMs: typeof delaysMs === 'number' ? delaysMs : (delaysMs[index] ?? 0),
      }));
    }
    const { slots, ticket } = decision;
    await sendGroup(deps, {
      campaign,
      sender,
      hasNextAccount: (row) => router.hasNextAccount(row, sender),
      policies,
      group: queue.splice(0, slots),
      ticket,
      underway,
    });
  }
  return [];
}

const nameOf = ({ account, version, siblings }: Sender) => ({
  version,
  name: siblings === undefined ? ONLY : account.name,
});

/** Decides which account sends a row. */
interface Router {
  readonly senders: readonly Sender[];
  /** Those without an account that may send now are added to `waiting`. */
  route(rows: readonly Prepared[], waiting: Waiting[]): Way[];
  /** Whether another account than that of the row would send it now. */
  isNowElsewhere(row: Prepared): boolean;
  hasNextAccount(row: Prepared, sender: Sender): boolean;
}

function createRouter(deps: AccountDependencies, { campaign, settings, policies }: Rows): Router {
  const all = accountsOf(settings);
  const { version } = settings;
  const named = all.find(({ name }) => name === campaign.account);
  if (all.length === 1 || named !== undefined)
    return createOnlyWay({
      account: named ?? settings,
      version,
      // A test send of one of several has the state of that account, and pauses nothing.
      ...(all.length > 1 && { siblings: all.map(({ name }) => name) }),
    });

  const { sendsUntested } = policies;
  const maySend = all.filter(({ status }) => sendsUntested || status === 'ready');
  const siblings = (maySend.length > 0 ? maySend : all).map(({ name }) => name);
  const senders = new Map(all.map((account) => [account.name, { account, version, siblings }]));
  const healthOf = (account: ChannelAccount): AccountHealth => {
    if (settings.pausedAccounts.has(account.name) || account.secrets === null)
      return { state: 'paused', forMs: CONFIGURATION_RETRY_MS };
    const forMs = deps.accounts.of(campaign, { version, name: account.name }).blockedForMs();
    return forMs === 0 ? { state: 'works' } : { state: 'breaker_open', forMs };
  };
  const isByCountry = hasCountries(deps.channelName) && all.some(({ countries }) => countries);
  const candidatesOf = ({ address }: Prepared): Candidates =>
    orderAccounts(
      all,
      { address, country: isByCountry ? countryOf(address) : null },
      { sendsUntested },
    );
  const choose = (row: Prepared) =>
    chooseAccount(candidatesOf(row), {
      before: row.delivery.sentBefore,
      isAmbiguous: row.delivery.ambiguousAttempts > 0,
      healthOf,
    });
  return {
    senders: [...senders.values()],
    route(rows, waiting) {
      const ways = new Map<Sender, Prepared[]>();
      for (const row of rows) {
        const chosen = choose(row);
        const sender = 'account' in chosen ? senders.get(chosen.account.name) : undefined;
        if (sender === undefined || !('account' in chosen)) {
          waiting.push({ row, delayMs: 'waitMs' in chosen ? chosen.waitMs : 0 });
          continue;
        }
        const sentBy = { account: sender.account.name, reason: chosen.reason };
        const own = ways.get(sender) ?? [];
        own.push({ ...row, delivery: { ...row.delivery, sentBy } });
        ways.set(sender, own);
      }
      return [...ways].map(([sender, own]) => ({ sender, rows: own }));
    },
    isNowElsewhere(row) {
      const chosen = choose(row);
      return 'account' in chosen && chosen.account.name !== row.delivery.sentBy?.account;
    },
    hasNextAccount: (row, { account }) =>
      row.delivery.ambiguousAttempts === 0 &&
      hasNextAccount(candidatesOf(row), account.name, healthOf),
  };
}

/** All rows go by one account. */
function createOnlyWay(sender: Sender): Router {
  return {
    senders: [sender],
    route: (rows) => {
      if (rows.length === 0) return [];
      if (sender.siblings === undefined) return [{ sender, rows }];
      const sentBy = { account: sender.account.name, reason: 'order' as const };
      return [
        { sender, rows: rows.map((row) => ({ ...row, delivery: { ...row.delivery, sentBy } })) },
      ];
    },
    isNowElsewhere: () => false,
    hasNextAccount: () => false,
  };
}
