import { hash, verify } from '@node-rs/argon2';
import { AppError } from '@tidings/platform';
import { randomBytes } from 'node:crypto';

/** argon2id with OWASP parameters: 19 MiB and about 50 ms per hash. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const PARAMETERS = `$argon2id$v=19$m=${OPTIONS.memoryCost},t=${OPTIONS.timeCost},p=${OPTIONS.parallelism}$`;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Concurrent hashes, and queued ones. Otherwise sign-in attempts could use up memory and CPU. */
const CONCURRENT_MAX = 2;
const WAITING_MAX = 40;
const RETRY_AFTER_SECONDS = 2;

/** Hashes and checks passwords with limited concurrency. */
export interface Passwords {
  /** @throws AppError `unavailable` when the queue is full */
  hash(password: string): Promise<string>;
  /**
   * Takes the same time with and without a hash. @throws AppError `unavailable` when the queue is
   * full
   */
  check(password: string, passwordHash: string | null): Promise<boolean>;
  /** Whether the hash has outdated parameters. */
  isOutdated(passwordHash: string): boolean;
}

export function createPasswords(): Passwords {
  const queued = createHashQueue();
  // Checked for unknown accounts. No password has this hash.
  const dummyHash = `${PARAMETERS}${randomText(SALT_BYTES)}$${randomText(HASH_BYTES)}`;
  return {
    hash: (password) => queued(() => hash(normalize(password), OPTIONS)),
    check: (password, passwordHash) =>
      queued(async () => {
        const isRight = await verify(passwordHash ?? dummyHash, normalize(password));
        return isRight && passwordHash !== null;
      }),
    isOutdated: (passwordHash) => !passwordHash.startsWith(PARAMETERS),
  };
}

const randomText = (bytes: number): string =>
  randomBytes(bytes).toString('base64').replaceAll('=', '');

/** Normalizes Unicode: keyboards compose letters differently. */
const normalize = (password: string): string => password.normalize('NFKC');

function createHashQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let atWork = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (atWork >= CONCURRENT_MAX) {
      if (waiting.length >= WAITING_MAX)
        throw new AppError('unavailable', 'Too many sign-ins right now. Retry shortly.', {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        });
      // A finishing call hands its place directly to the first in the queue.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      atWork += 1;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) atWork -= 1;
      else next();
    }
  };
}
