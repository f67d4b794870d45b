import type { AcceptedMessage } from '../../rigs/sandbox-control.ts';
import { countStates } from './counters.ts';
import type { StoredAccount } from './stored-deliveries.ts';

/** An account of a channel, in the order of its settings. */
export type Account = {
  readonly name: string;
  /** What its provider writes beside each message. */
  readonly seenAs: string;
};

/** As `GET campaigns/{id}/report` has it; `delivered` counts in `sent`. */
export type AccountCounts = {
  readonly name: string;
  readonly sent: number;
  readonly delivered: number;
  readonly failed: number;
  readonly unknown: number;
};

/** A campaign with an outcome for everyone, as the product and the providers have it. */
export type AccountEvidence = {
  readonly accounts: readonly Account[];
  readonly deliveries: readonly StoredAccount[];
  readonly accepted: readonly AcceptedMessage[];
  readonly reported: readonly AccountCounts[];
};

/** Why the first account in order is chosen, and any other. */
const OF_FIRST: readonly unknown[] = ['order'];
const OF_OTHERS: readonly unknown[] = ['breaker_open', 'paused', 'not_accepted'];

/**
 * True reports by account: each message came by the account that its delivery names, chosen for a
 * valid reason. The report counts what is stored. A provider has what was sent by it, and beyond that
 * at most what is unknown.
 */
export function checkAccounts({
  accounts,
  deliveries,
  accepted,
  reported,
}: AccountEvidence): readonly string[] {
  const known = new Map(deliveries.map((delivery) => [delivery.deliveryId, delivery]));
  return [
    ...deliveries.flatMap((delivery) => checkReason(delivery, accounts)),
    ...accepted.flatMap(({ deliveryId, to, account }) => {
      const { name = `no account, but ${account}` } =
        accounts.find(({ seenAs }) => seenAs === account) ?? {};
      const stored = known.get(deliveryId ?? '')?.account ?? null;
      return stored === name
        ? []
        : [`the message to ${to} came by ${name}, but its delivery has ${stored}`];
    }),
    ...compareNames(accounts, reported),
    ...accounts.flatMap((account) =>
      checkCounts(account, {
        deliveries: deliveries.filter((delivery) => delivery.account === account.name),
        seen: accepted.filter((message) => message.account === account.seenAs).length,
        said: reported.find(({ name }) => name === account.name),
      }),
    ),
  ];
}

function checkReason(
  { deliveryId, account, accountReason }: StoredAccount,
  [first, ...others]: readonly Account[],
): readonly string[] {
  const allowed =
    account === first?.name
      ? OF_FIRST
      : others.some(({ name }) => name === account)
        ? OF_OTHERS
        : [];
  return allowed.includes(accountReason)
    ? []
    : [`delivery ${deliveryId} has the account ${account} by ${accountReason}`];
}

function compareNames(
  accounts: readonly Account[],
  reported: readonly AccountCounts[],
): readonly string[] {
  const said = reported.map(({ name }) => name).join(', ');
  const expected = accounts.map(({ name }) => name).join(', ');
  return said === expected ? [] : [`accounts ${said} reported, ${expected} sent`];
}

function checkCounts(
  { name }: Account,
  {
    deliveries,
    seen,
    said,
  }: {
    readonly deliveries: readonly StoredAccount[];
    readonly seen: number;
    readonly said: AccountCounts | undefined;
  },
): readonly string[] {
  const {
    successful: sent,
    delivered,
    failed,
    unknown,
  } = countStates(deliveries.map(({ state }) => state));
  const stored = { sent, delivered, failed, unknown };
  return [
    ...Object.entries(stored).flatMap(([what, count]) => {
      const reported = said?.[what as keyof typeof stored] ?? 0;
      return reported === count ? [] : [`${reported} ${what} by ${name} reported, ${count} stored`];
    }),
    ...(seen >= sent && seen <= sent + unknown
      ? []
      : [`the provider of ${name} has ${seen}, and ${sent} are sent and ${unknown} unknown`]),
  ];
}
