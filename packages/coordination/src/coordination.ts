import type { Broadcast } from './broadcast.ts';
import type { RateLimiters } from './rates/rate-limiter.ts';

/** The notices that services broadcast. */
export type Notices = {
  /** The application whose API keys or settings changed. */
  readonly keyChanges: string;
  /** Users with new inbox messages. */
  readonly inboxWakeUps: readonly string[];
};

/**
 * What services know of each other besides Postgres and the bus: rates that they share, and
 * notices. All of it may be lost. It is in Redis, or in the memory of the only process.
 */
export interface Coordination extends Readonly<{
  [Name in keyof Notices]: Broadcast<Notices[Name]>;
}> {
  /**
   * The limiters of one service. `replicas` is the highest number of its processes: each grants
   * that fraction of every rate while Redis is unavailable.
   */
  rateLimiters(options: { readonly replicas: number }): RateLimiters;
  /** Ends the use by one service. */
  close(): Promise<void>;
}
