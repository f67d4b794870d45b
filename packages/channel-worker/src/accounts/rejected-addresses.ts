import { LRUCache } from 'lru-cache';

/** Whose fault a refusal is: of the address alone, of the account, or not known yet. */
export type RejectionCause = 'address' | 'account' | 'undecided';

/**
 * What a provider lately said of the addresses of an account. Some refuse an address that belongs to another account in the
 * same words as an account that may do nothing; the first is to be removed, the second mended. Each process has its own.
 */
export interface RejectedAddresses {
  /** A later answer to an address replaces its earlier one: an address that is tried again and again counts once. */
  record(account: string, answer: { readonly address: string; readonly isRejected: boolean }): void;
  /**
   * Of a refusal whose words are about the address: `account` where more than half of the addresses are refused, and there
   * are enough to say so; `address` where half or more are taken.
   */
  causeOf(account: string): RejectionCause;
  /**
   * Of a refusal without a word: `address` where this one alone is refused, and again after another was taken since; of
   * several none is to blame. So whatever befalls an account that worked, none of its addresses goes with it.
   */
  causeOfUnexplained(account: string, address: string): RejectionCause;
}

const ACCOUNTS_MAX = 1_000;
const ADDRESSES_MAX = 20;
const ADDRESSES_MIN = 5;

/** The last answer to an address, and its number; of a refused one also the first refusal after which nothing was taken of it. */
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
      // Of the address its own, else the oldest when there is one too many.
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
