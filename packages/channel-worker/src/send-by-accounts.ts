import {
  accountsOf,
  accountsThatSend,
  type ChannelAccount,
} from '@tidings/accounts/channel-settings';
import { hasCountries, type AccountChoice } from '@tidings/contracts/channels/accounts';
import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import { targetOf } from '@tidings/delivery/change-states';
import { countryOf } from '@tidings/people/e164';
import { ONLY } from './accounts/accounts.ts';
import {
  chooseAccount,
  hasNextAccount,
  orderAccounts,
  type AccountHealth,
  type Candidates,
  type ChosenAccount,
} from './accounts/choose-account.ts';
import type { SendRateLimiters } from './accounts/send-rate-limiter.ts';
import type { SendPolicies } from './policies/send-policies.ts';
import { accountKeyOf, type Prepared, type Sender } from './prepare.ts';
import { sendGroup, type GroupDependencies } from './send-group.ts';
import { ACCOUNTS_TTL_MS, type SettingsToSend } from './settings-cache.ts';
import { changeUnsent, releaseUnsent } from './unsent.ts';

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
  /** Called as soon as rows wait for a slot or are released; others may still be in flight. */
  readonly onHeldUp: () => void;
};

/** Rows that one account sends. */
type Way = { readonly sender: Sender; readonly rows: readonly Prepared[] };
/** A row that no account may send now, and when it is due again. */
type Waiting = { readonly row: Prepared; readonly delayMs: number };
/** Rows by what becomes of them. */
type Routed = {
  readonly ways: readonly Way[];
  readonly waiting: readonly Waiting[];
  /** To be repeated by an account that is gone: their outcome stays unknown. */
  readonly ended: readonly Prepared[];
};

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
  for (const sender of router.senders)
    if (sender.account.secrets === null && !settings.pausedAccounts.has(sender.account.name))
      await deps.accounts.pause(campaign, sender, UNREADABLE_SECRETS);

  const underway: Promise<void>[] = [];
  const waiting: Waiting[] = [];
  try {
    let { open } = rows;
    // Meanwhile an account may fail: what it did not send goes by another at once, but not in circles.
    for (const _ of router.senders) {
      const routed = router.route(open);
      await endUnknown(deps, campaign, routed.ended);
      const left = await sendWays(deps, { rows, router, ways: routed.ways, underway }, signal);
      const moved = signal.aborted ? [] : left.filter(({ row }) => router.isNowElsewhere(row));
      waiting.push(...routed.waiting, ...left.filter((one) => !moved.includes(one)));
      open = moved.map(({ row }) => row);
    }
    waiting.push(...open.map((row) => ({ row, delayMs: 0 })));
    await releaseUnsent(deps, campaign.lane, {
      rows: waiting.map(({ row: { delivery } }) => delivery),
      delaysMs: signal.aborted ? 0 : waiting.map(({ delayMs }) => delayMs),
    });
    if (waiting.length > 0) rows.onHeldUp();
  } finally {
    // Even after a database failure, finish and record the sends in flight.
    await Promise.allSettled(underway);
  }
  await Promise.all(underway);
  signal.throwIfAborted();
  return waiting.length === 0;
}

/** Settles rows that no account may repeat. */
function endUnknown(
  deps: AccountDependencies,
  campaign: CampaignToSend,
  ended: readonly Prepared[],
): Promise<void> {
  const rows = ended.map(({ delivery }) => delivery);
  return changeUnsent(deps, campaign, {
    rows,
    changes: rows.map((row) => ({
      ...targetOf(row),
      fence: row.fence,
      state: 'unknown',
      reason: 'outcome_unknown',
    })),
  });
}

/**
 * The accounts that may send, by name, without those that are paused; of a channel with one account
 * that one.
 */
export function namesOfSenders(
  settings: SettingsToSend,
  policies: Pick<SendPolicies, 'sendsUntested'>,
): readonly string[] {
  if (settings.others.length === 0) return [ONLY];
  return accountsThatSend(accountsOf(settings), policies)
    .filter((account) => !isPaused(settings, account))
    .map(({ name }) => name);
}

const isPaused = ({ pausedAccounts }: SettingsToSend, { name, secrets }: ChannelAccount): boolean =>
  pausedAccounts.has(name) || secrets === null;

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
    onHeldUp,
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
    onWait: onHeldUp,
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

const nameOf = ({ account, version, isOneOfSeveral }: Sender) => ({
  version,
  name: isOneOfSeveral ? account.name : ONLY,
});

/** Decides which account sends a row. */
interface Router {
  readonly senders: readonly Sender[];
  route(rows: readonly Prepared[]): Routed;
  /** Whether another account than that of the row would send it now. */
  isNowElsewhere(row: Prepared): boolean;
  hasNextAccount(row: Prepared, sender: Sender): boolean;
}

function createRouter(deps: AccountDependencies, { campaign, settings, policies }: Rows): Router {
  const all = accountsOf(settings);
  const { version } = settings;
  const isOneOfSeveral = all.length > 1;
  const named = all.find(({ name }) => name === campaign.account);
  if (!isOneOfSeveral || named !== undefined)
    return createOnlyWay({ account: named ?? settings, version, isOneOfSeveral });

  const senders = new Map(
    all.map((account) => [account.name, { account, version, isOneOfSeveral }]),
  );
  const healthOf = (account: ChannelAccount): AccountHealth => {
    // Until the pauses are read again: a test send may have ended it.
    if (isPaused(settings, account)) return { state: 'paused', forMs: ACCOUNTS_TTL_MS };
    const forMs = deps.accounts.of(campaign, { version, name: account.name }).blockedForMs();
    return forMs === 0 ? { state: 'works' } : { state: 'breaker_open', forMs };
  };
  const isByCountry =
    hasCountries(deps.channelName) && all.some(({ countries }) => countries !== null);
  const known = new Map<string, Candidates>();
  const candidatesOf = ({ address }: Prepared): Candidates => {
    const candidates =
      known.get(address) ??
      orderAccounts(all, { address, country: isByCountry ? countryOf(address) : null }, policies);
    known.set(address, candidates);
    return candidates;
  };
  const choose = (row: Prepared): ChosenAccount => {
    const { sentBefore: before, ambiguousAttempts } = row.delivery;
    return chooseAccount(candidatesOf(row), {
      before,
      ...(ambiguousAttempts > 0 && {
        repeatedBy: all.find(({ name }) => name === before?.account) ?? null,
      }),
      healthOf,
    });
  };
  return {
    senders: [...senders.values()],
    route(rows) {
      const ways = new Map<string, Prepared[]>();
      const waiting: Waiting[] = [];
      const ended: Prepared[] = [];
      for (const row of rows) {
        const chosen = choose(row);
        if (chosen === 'never') ended.push(row);
        else if ('waitMs' in chosen) waiting.push({ row, delayMs: chosen.waitMs });
        else {
          const { account, reason } = chosen;
          const own = ways.get(account.name) ?? [];
          own.push(sentBy(row, { account: account.name, reason }));
          ways.set(account.name, own);
        }
      }
      return {
        ways: [...senders].flatMap(([name, sender]) => {
          const own = ways.get(name);
          return own === undefined ? [] : [{ sender, rows: own }];
        }),
        waiting,
        ended,
      };
    },
    isNowElsewhere(row) {
      const chosen = choose(row);
      return (
        chosen !== 'never' &&
        'account' in chosen &&
        chosen.account.name !== row.delivery.sentBy?.account
      );
    },
    hasNextAccount: (row, { account }) =>
      row.delivery.ambiguousAttempts === 0 &&
      hasNextAccount(candidatesOf(row), account.name, healthOf),
  };
}

const sentBy = (row: Prepared, choice: AccountChoice): Prepared => ({
  ...row,
  delivery: { ...row.delivery, sentBy: choice },
});

/** All rows go by one account. */
function createOnlyWay(sender: Sender): Router {
  const { account, isOneOfSeveral } = sender;
  /** An account that is gone made the attempt whose outcome is unknown. */
  const isOfAnother = ({ delivery: { ambiguousAttempts, sentBefore } }: Prepared): boolean =>
    ambiguousAttempts > 0 && sentBefore !== undefined && sentBefore.account !== account.name;
  return {
    senders: [sender],
    route(rows) {
      const own = rows.filter((row) => !isOfAnother(row));
      const sent = isOneOfSeveral
        ? own.map((row) => sentBy(row, { account: account.name, reason: 'order' }))
        : own;
      return {
        ways: sent.length === 0 ? [] : [{ sender, rows: sent }],
        waiting: [],
        ended: rows.filter(isOfAnother),
      };
    },
    isNowElsewhere: () => false,
    hasNextAccount: () => false,
  };
}
