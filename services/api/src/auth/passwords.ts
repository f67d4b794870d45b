import { hash, verify } from '@node-rs/argon2';
import { AppError } from '@tidings/platform';
import { randomBytes } from 'node:crypto';

/** argon2id as OWASP recommends it: 19 MiB and about 50 ms each. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const PARAMETERS = `$argon2id$v=19$m=${OPTIONS.memoryCost},t=${OPTIONS.timeCost},p=${OPTIONS.parallelism}$`;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** So many at once, and so many who wait: else whoever signs in often enough takes all memory and processors. */
const CONCURRENT_MAX = 2;
const WAITING_MAX = 40;
const RETRY_AFTER_SECONDS = 2;

/** Hashes and checks passwords, a few at a time. */
export interface Passwords {
  /** @throws AppError `unavailable` when too many wait */
  hash(password: string): Promise<string>;
  /** Takes the same time whether or not there is a hash. @throws AppError `unavailable` when too many wait */
  check(password: string, passwordHash: string | null): Promise<boolean>;
  /** Whether a hash was made with other parameters than those of now. */
  isOutdated(passwordHash: string): boolean;
}

export function createPasswords(): Passwords {
  const queued = createHashQueue();
  // What is checked where there is no account: no password makes these bytes.
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

/** One password, however the keyboard composes its letters. */
const normalize = (password: string): string => password.normalize('NFKC');

function createHashQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let atWork = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (atWork >= CONCURRENT_MAX) {
      if (waiting.length >= WAITING_MAX)
        throw new AppError('unavailable', 'Too many people sign in right now. Try again.', {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        });
      // Whoever leaves hands over the place: nobody who comes meanwhile takes it.
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
