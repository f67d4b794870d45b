import { SENT_CHANNELS, type SentChannel } from '../../rigs/delivery-proxies.ts';
import { userOf } from '../../rigs/delivery-rig.ts';
import type { Entry } from '../ledger.ts';
import { between, pick, type Random } from '../random.ts';

/** One campaign as its caller knows it, and every time it was sent; always with the same Idempotency-Key and the same body. */
export type SentPush = Entry & {
  /** Which of the run's applications sends it. */
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
  /** Begins all keys, so that runs on one installation never meet. */
  readonly prefix: string;
};

/** A bulk campaign goes to at least this part of an application's users. */
const SMALLEST_BULK = 0.3;
/** Some recipients stand in a bulk campaign twice: each is one recipient. */
const REPEATED_RECIPIENTS = 0.02;

export type Pushes = {
  /** To one user of one application, by some channel. */
  next(): SentPush;
  one(channel: SentChannel): SentPush;
  bulk(channel: SentChannel, share?: number): SentPush;
  /** To so many users, each named once: as many as one campaign may name. */
  all(channel: SentChannel, count: number): SentPush;
};

/** What the seed wants to be sent. The text tells each campaign from the others, so that no SMS can be taken for another's. */
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

/** What the answer said: its campaign, once it was accepted. */
export function campaignOf({ attempts }: Entry): string | undefined {
  return attempts.find(({ campaignId }) => campaignId !== undefined)?.campaignId;
}
