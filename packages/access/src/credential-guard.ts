import { addressBlock, AppError, Counter, type Answer, type Clock } from '@tidings/platform';
import type { LocalRate } from '@tidings/redis';
import { LRUCache } from 'lru-cache';
import { hash } from 'node:crypto';
import { callerRateLimitedError } from './enforce-rates.ts';
import { noteWrongKey } from './authorize.ts';
import { createLookupPermits } from './lookup-permits.ts';
import type { WrongKeys } from './wrong-keys.ts';

const lookUpsTotal = new Counter({
  name: 'tidings_credential_lookups_total',
  help: 'Keys, administrator tokens and sessions that the dashboard looked up in Postgres.',
});

/** What a caller brought, and from where; null for an unreadable address, or without an application. */
export type PresentedCredential = {
  readonly kind: 'key' | 'token' | 'session';
  readonly text: string;
  readonly address: string | null;
  readonly applicationId: string | null;
};

/** Decides which keys, administrator tokens and sessions are looked up in Postgres, and how often each may call. */
export interface CredentialGuard {
  /**
   * What `lookUp` finds; null, after the wait of a guess, where it finds nothing or found nothing a moment ago. What is right
   * is looked up each time, so that its end counts at once.
   * @throws AppError `rate_limited`
   */
  find<Found extends object>(
    claim: PresentedCredential,
    res: Answer,
    lookUp: () => Promise<Found | null>,
  ): Promise<Found | null>;
}

export type CredentialGuardOptions = {
  readonly wrongKeys: WrongKeys;
  readonly clock: Clock;
  /** Undefined: any number of calls. */
  readonly callerRateOf: (caller: string) => LocalRate | undefined;
};

/** Secrets are random, so a wrong one does not become right; the bound is for a database that was put back. */
const WRONG_MS = 30_000;
const REMEMBERED_MAX = 10_000;
/** Look-ups of unknown credentials in a second from one address that sent too many wrong ones: each keeps its place for so long. */
const SLOW_LOOKUPS_MAX = 4;
/** Look-ups at once from an address without any wrong one: many people may share it, and all of them are unknown after a restart. */
const LOOKUPS_MAX = 100;

export function createCredentialGuard({
  wrongKeys,
  clock,
  callerRateOf,
}: CredentialGuardOptions): CredentialGuard {
  const wrongAt = new LRUCache<string, number>({ max: REMEMBERED_MAX });
  const right = new LRUCache<string, true>({ max: REMEMBERED_MAX });
  const places = createLookupPermits({ clock });
  /** First look-ups under way, by credential. */
  const firstLookUps = new Map<string, Promise<object | null>>();

  const isKnownWrong = (id: string): boolean =>
    clock.monotonicMs() - (wrongAt.get(id) ?? -Infinity) < WRONG_MS;
  const countCall = (id: string, res: Answer): void => {
    const rate = callerRateOf(id);
    if (rate?.take() === false) throw callerRateLimitedError(rate, res);
  };
  const placesOf = (claim: PresentedCredential): number =>
    wrongKeys.hasFailuresFrom(claim.address)
      ? Math.max(SLOW_LOOKUPS_MAX, wrongKeys.undelayedLeft(claim))
      : LOOKUPS_MAX;
  const lookUpOnce = async <Found extends object>(
    id: string,
    lookUp: () => Promise<Found | null>,
  ): Promise<Found | null> => {
    lookUpsTotal.inc();
    const found = await lookUp();
    if (found === null) {
      right.delete(id);
      wrongAt.set(id, clock.monotonicMs());
    } else right.set(id, true);
    return found;
  };
  /** An unknown caller: the look-ups of one address are bounded by its wrong ones, and by those under way. */
  const lookUpUnknown = async <Found extends object>(
    id: string,
    {
      claim,
      res,
      lookUp,
    }: {
      readonly claim: PresentedCredential;
      readonly res: Answer;
      readonly lookUp: () => Promise<Found | null>;
    },
  ): Promise<Found | null> => {
    const block = claim.address === null ? '' : addressBlock(claim.address);
    if (!places.acquire(block, placesOf(claim))) {
      throw new AppError(
        'rate_limited',
        'Too many wrong credentials came from this network address. Try again.',
        { retryAfterSeconds: 1 },
      );
    }
    let isSlowGuess = false;
    try {
      const first = lookUpOnce(id, lookUp).finally(() => firstLookUps.delete(id));
      firstLookUps.set(id, first);
      const found = await first;
      isSlowGuess = found === null && wrongKeys.undelayedLeft(claim) === 0;
      if (found !== null) {
        countCall(id, res);
        return found;
      }
    } finally {
      // Not when the guess is answered: a caller who hangs up, or who need not wait for an answer, has no more look-ups.
      places.release(block, isSlowGuess);
    }
    await noteWrongKey(wrongKeys, claim, res);
    return null;
  };

  return {
    async find(claim, res, lookUp) {
      const id = hash(
        'sha256',
        JSON.stringify([claim.kind, claim.applicationId, claim.text]),
        'base64',
      );
      // Requests with one unknown credential wait for one look-up. What it found may have ended meanwhile, so it is not shared.
      const first = firstLookUps.get(id);
      if (first !== undefined) await first;
      if (isKnownWrong(id)) {
        // A page whose session has ended asks more than once, and guesses nothing.
        if (claim.kind !== 'session') await noteWrongKey(wrongKeys, claim, res);
        return null;
      }
      if (!right.has(id)) return lookUpUnknown(id, { claim, res, lookUp });
      countCall(id, res);
      const found = await lookUpOnce(id, lookUp);
      if (found === null) await noteWrongKey(wrongKeys, claim, res);
      return found;
    },
  };
}
