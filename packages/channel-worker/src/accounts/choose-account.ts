import { accountsThatSend, type ChannelAccount } from '@tidings/accounts/channel-settings';
import type { AccountChoice, AccountReason } from '@tidings/contracts/channels/accounts';

/** Whom a message goes to, as far as the choice of an account depends on it. */
export type AccountRecipient = {
  readonly address: string;
  /** ISO code of the country of its number; null: none, or no account is for some countries. */
  readonly country: string | null;
};

/** The accounts that may send to a recipient, the preferred one first, and why that is the first. */
export type Candidates = {
  readonly accounts: readonly ChannelAccount[];
  readonly reason: Extract<AccountReason, 'order' | 'share' | 'country'>;
};

/**
 * The order in which accounts are tried. Those for the recipient's country come first, and those for
 * other countries not at all. Shares decide the first of several; the same address always gets the
 * same account. Accounts that no test send has proved send only to whom no other may.
 */
export function orderAccounts(
  all: readonly ChannelAccount[],
  { address, country }: AccountRecipient,
  { sendsUntested }: { readonly sendsUntested: boolean },
): Candidates {
  const mayReach = ({ countries }: ChannelAccount): boolean =>
    countries === null || (country !== null && countries.includes(country));
  const accounts = accountsThatSend(all.filter(mayReach), { sendsUntested });
  const [forCountry = [], general = []] = [true, false].map((isForCountry) =>
    accounts.filter(({ countries }) => (countries !== null) === isForCountry),
  );
  const place = placeOf(address);
  const isShared = general.some(hasShare);
  return {
    accounts: [...byShares(forCountry, place), ...byShares(general, place)],
    reason: forCountry.length > 0 ? 'country' : isShared ? 'share' : 'order',
  };
}

const hasShare = ({ share }: ChannelAccount): boolean => (share ?? 0) > 0;

/** Accounts with shares in a drawn order, each draw by their shares; then the others in their own. */
function byShares(accounts: readonly ChannelAccount[], place: number): ChannelAccount[] {
  const left = accounts.filter(hasShare);
  const ordered: ChannelAccount[] = [];
  let at = place;
  while (left.length > 0) {
    const weights = left.map(({ share }) => share ?? 0);
    const drawn = draw(weights, at);
    ordered.push(...left.splice(drawn.index, 1));
    at = drawn.rest;
  }
  return [...ordered, ...accounts.filter((account) => !hasShare(account))];
}

/** The index that `at`, from 0 to below 1, falls on; its place within that share is the next draw. */
function draw(weights: readonly number[], at: number): { index: number; rest: number } {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let from = 0;
  for (const [index, weight] of weights.entries()) {
    const isLast = index === weights.length - 1;
    if (isLast || at * total < from + weight)
      return { index, rest: Math.min((at * total - from) / weight, 1 - Number.EPSILON) };
    from += weight;
  }
  throw new Error('there is nothing to draw from');
}

const FNV_OFFSET = 2_166_136_261;
const FNV_PRIME = 16_777_619;

/** A place from 0 to below 1 that an address always has: FNV-1a, mixed once more. */
function placeOf(address: string): number {
  let hash = FNV_OFFSET;
  for (let index = 0; index < address.length; index += 1)
    hash = Math.imul(hash ^ address.charCodeAt(index), FNV_PRIME);
  hash = Math.imul(hash ^ (hash >>> 16), 2_246_822_507);
  hash = Math.imul(hash ^ (hash >>> 13), 3_266_489_909);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** Whether an account may send now. */
export type AccountHealth =
  | { readonly state: 'works' }
  | { readonly state: 'paused' | 'breaker_open'; readonly forMs: number };

/** An account to send by, or how long none may send; `never`: the only one that may is gone. */
export type ChosenAccount =
  | { readonly account: ChannelAccount; readonly reason: AccountReason }
  | { readonly waitMs: number }
  | 'never';

/**
 * Chooses the first account that may send. After an attempt that was certainly not accepted it is the
 * first one behind that; an attempt with an unknown outcome is only repeated by the same one.
 */
export function chooseAccount(
  { accounts, reason }: Candidates,
  {
    before,
    repeatedBy,
    healthOf,
  }: {
    /** How the attempt before was made. */
    readonly before: AccountChoice | undefined;
    /** If the outcome of an attempt before is unknown: its account, or null if that is gone. */
    readonly repeatedBy?: ChannelAccount | null;
    readonly healthOf: (account: ChannelAccount) => AccountHealth;
  },
): ChosenAccount {
  if (repeatedBy !== undefined) {
    if (repeatedBy === null || before === undefined) return 'never';
    const health = healthOf(repeatedBy);
    return health.state === 'works'
      ? { account: repeatedBy, reason: before.reason }
      : { waitMs: health.forMs };
  }
  const last = accounts.findIndex(({ name }) => name === before?.account);
  const sender = accounts[last];
  const ring = [...accounts.slice(last + 1), ...accounts.slice(0, last + 1)];
  const healths = ring.map(healthOf);
  const index = healths.findIndex(({ state }) => state === 'works');
  const account = ring[index];
  if (account === undefined)
    return {
      waitMs: Math.min(...healths.map((health) => (health.state === 'works' ? 0 : health.forMs))),
    };
  const [passed] = healths.slice(0, index);
  if (passed !== undefined && passed.state !== 'works') return { account, reason: passed.state };
  return { account, reason: last < 0 || account === sender ? reason : 'not_accepted' };
}

/** Whether an account behind this one may send now, so a message that it did not accept goes on at once. */
export function hasNextAccount(
  { accounts }: Candidates,
  name: string,
  healthOf: (account: ChannelAccount) => AccountHealth,
): boolean {
  const at = accounts.findIndex((account) => account.name === name);
  return accounts.slice(at + 1).some((account) => healthOf(account).state === 'works');
}
