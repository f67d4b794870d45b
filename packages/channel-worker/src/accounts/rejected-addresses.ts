import { LRUCache } from 'lru-cache';

/** The cause of a rejection: the address, the whole account, or not known yet. */
export type RejectionCause = 'address' | 'account' | 'undecided';

/**
 * Recent responses of a provider to the addresses of each account, per process. Some providers
 * answer the same for an address of another account and for an account that may not send. The first
 * means remove the address; the second means fix the account.
 */
export interface RejectedAddresses {
  /** Records a response. Each address counts once, with its latest response. */
  record(account: string, answer: { readonly address: string; readonly isRejected: boolean }): void;
  /**
   * Cause of a rejection that names the address: `account` if more than half of at least 5
   * addresses are rejected, `address` if at most half are.
   */
  causeOf(account: string): RejectionCause;
  /**
   * Cause of a rejection without details: `address` only if it is the one rejected address and
   * another address was accepted after its first rejection. So a failing account that worked before
   * never loses its addresses.
   */
  causeOfUnexplained(account: string, address: string): RejectionCause;
}

const ACCOUNTS_MAX = 1_000;
const ADDRESSES_MAX = 20;
const ADDRESSES_MIN = 5;

/**
 * The latest response to an address and its sequence number; `rejectedSince` is the first of its
 * consecutive rejections.
 */
type LastAnswer = {
  readonly address: string;
  readonly no: number;
  readonly rejectedSince: number | null;
};

export function createRejectedAddresses(): RejectedAddresses {
  const accounts = new LRUCache<string, LastAnswer[]>({ max: ACCOUNTS_MAX });
  let answerNo = 0;
  const isOfAccount = (answers: readonly LastAnswer[]): boolean =>
    answers.length >= ADDRESSES_MIN && isMostRejected(answers);
  return {
    record(account, { address, isRejected }) {
      const known = accounts.get(account);
      const answers = known ?? [];
      if (known === undefined) accounts.set(account, answers);
      const place = answers.findIndex((answer) => answer.address === address);
      const before = answers[place]?.rejectedSince ?? null;
      const no = (answerNo += 1);
      // Replace the address's earlier response; otherwise drop the oldest if the list is full.
      if (place >= 0) answers.splice(place, 1);
      else if (answers.length === ADDRESSES_MAX) answers.shift();
      answers.push({ address, no, rejectedSince: isRejected ? (before ?? no) : null });
    },
    causeOf(account) {
      const answers = accounts.get(account) ?? [];
      if (isOfAccount(answers)) return 'account';
      return isMostRejected(answers) ? 'undecided' : 'address';
    },
    causeOfUnexplained(account, address) {
      const answers = accounts.get(account) ?? [];
      if (isOfAccount(answers)) return 'account';
      const since = answers.find((answer) => answer.address === address)?.rejectedSince ?? Infinity;
      const isAlone = answers.filter(({ rejectedSince }) => rejectedSince !== null).length === 1;
      return isAlone &&
        answers.some(({ no, rejectedSince }) => rejectedSince === null && no > since)
        ? 'address'
        : 'undecided';
    },
  };
}

function isMostRejected(answers: readonly LastAnswer[]): boolean {
  return answers.filter(({ rejectedSince }) => rejectedSince !== null).length * 2 > answers.length;
}
