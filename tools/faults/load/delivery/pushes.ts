import { SENT_CHANNELS, type SentChannel } from '../../rigs/delivery-proxies.ts';
import { userOf } from '../../rigs/delivery-rig.ts';
import type { Entry } from '../ledger.ts';
import { between, pick, type Random } from '../random.ts';

/**
 * A campaign as its caller knows it, with all attempts; each uses the same Idempotency-Key and
 * body.
 */
export type SentPush = Entry & {
  /** Index of the sending application. */
  readonly application: number;
  readonly channel: SentChannel;
  readonly key: string;
  readonly recipients: readonly string[];
  readonly body: string;
};

export type PushesOptions = {
  readonly random: Random;
  readonly applications: number;
  readonly users: number;
  /** Prefix of all keys, so that runs on one installation do not collide. */
  readonly prefix: string;
};

/** Minimum share of an application's users in a bulk campaign. */
const SMALLEST_BULK = 0.3;
/** Share of recipients repeated in a bulk campaign; duplicates count as one recipient. */
const REPEATED_RECIPIENTS = 0.02;

export type Pushes = {
  /** A push to one user, by some channel. */
  next(): SentPush;
  one(channel: SentChannel): SentPush;
  bulk(channel: SentChannel, share?: number): SentPush;
  /** A push to `count` distinct users, up to the maximum of one campaign. */
  all(channel: SentChannel, count: number): SentPush;
};

/**
 * Creates pushes from the seed. Each campaign has a unique text, so that its SMS can be identified.
 */
export function createPushes({ random, applications, users, prefix }: PushesOptions): Pushes {
  let count = 0;
  const make = (channel: SentChannel, recipients: readonly string[]): SentPush => {
    const key = `${prefix}-${(count += 1)}`;
    const message = {
      ...(channel === 'EMAIL' && { title: key }),
      body: `${key} to ${recipients.length}`,
    };
    return {
      application: Math.floor(random() * applications),
      channel,
      key,
      recipients: [...new Set(recipients)],
      body: JSON.stringify({ recipients, channel, message }),
      attempts: [],
    };
  };
  const someone = (): string => userOf(Math.floor(random() * users));
  const one = (channel: SentChannel): SentPush => make(channel, [someone()]);
  return {
    one,
    next: () => one(pick(random, SENT_CHANNELS)),
    all: (channel, count) =>
      make(
        channel,
        Array.from({ length: count }, (_, user) => userOf(user)),
      ),
    bulk(channel, share = between(random, SMALLEST_BULK, 1)) {
      const size = Math.max(1, Math.round(users * share));
      const first = Math.floor(random() * users);
      const recipients = Array.from({ length: size }, (_, index) =>
        userOf((first + index) % users),
      );
      return make(channel, [...recipients, ...recipients.slice(0, size * REPEATED_RECIPIENTS)]);
    },
  };
}

/** The campaign id of the response, once accepted. */
export function campaignOf({ attempts }: Entry): string | undefined {
  return attempts.find(({ campaignId }) => campaignId !== undefined)?.campaignId;
}
