import type { LocalRate } from '@tidings/coordination';
import type { Answer } from '@tidings/http/request-value';
import { addressBlock, AppError, Counter, type Clock } from '@tidings/platform';
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

/**
 * A credential as presented, and its source. Null for an unreadable address, or without an
 * application.
 */
export type PresentedCredential = {
  readonly kind: 'key' | 'token' | 'session';
  readonly text: string;
  readonly address: string | null;
  readonly applicationId: string | null;
};

/**
 * Bounds the Postgres look-ups of keys, administrator tokens and sessions, and limits how often
 * each credential may call.
 */
export interface CredentialGuard {
  /**
   * The result of `lookUp`. Null if it finds nothing, or found nothing in the last 30 s; a wrong
   * credential may be delayed first. A valid credential is looked up on every call, so revoking it
   * takes effect at once.
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
  /** Undefined: calls are not limited. */
  readonly callerRateOf: (caller: string) => LocalRate | undefined;
};

/**
 * How long a wrong credential is remembered. Secrets are random, so a wrong one does not become
 * valid; the bound covers a restored database.
 */
const WRONG_MS = 30_000;
const REMEMBERED_MAX = 10_000;
/**
 * Maximum look-ups per second of unknown credentials from an address that sent too many wrong ones.
 * Each holds its permit for one second.
 */
const SLOW_LOOKUPS_MAX = 4;
/**
 * Concurrent look-ups from an address without failures. Many people may share the address, and
 * after a restart all of them are unknown.
 */
const LOOKUPS_MAX = 100;

export function createCredentialGuard({
  wrongKeys,
  clock,
  callerRateOf,
}: CredentialGuardOptions): CredentialGuard {
  const wrongAt = new LRUCache<string, number>({ max: REMEMBERED_MAX });
  const right = new LRUCache<string, true>({ max: REMEMBERED_MAX });
  const permits = createLookupPermits({ clock });
  /** First look-ups in progress, by credential. */
  const firstLookUps = new Map<string, Promise<object | null>>();

  const isKnownWrong = (id: string): boolean =>
    clock.monotonicMs() - (wrongAt.get(id) ?? -Infinity) < WRONG_MS;
  const countCall = (id: string, res: Answer): void => {
    const rate = callerRateOf(id);
    if (rate?.take() === false) throw callerRateLimitedError(rate, res);
  };
  const permitsFor = (claim: PresentedCredential): number =>
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
  /**
   * Looks up an unknown credential, bounded by the failures and the look-ups in progress of its
   * address.
   */
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
    if (!permits.acquire(block, permitsFor(claim))) {
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
      // Not after the delayed response: a caller who disconnects early would gain further look-ups.
      permits.release(block, isSlowGuess);
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
      // Requests with the same unknown credential wait for one look-up. They do not share its
      // result, which may have been revoked meanwhile.
      const first = firstLookUps.get(id);
      if (first !== undefined) await first;
      if (isKnownWrong(id)) {
        // A page with an ended session sends several requests. That is not guessing, so it is not
        // counted.
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
