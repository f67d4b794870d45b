import { leaseMessages, releaseLeases, type InboxQuestion } from '@tidings/delivery/inbox';
import { Gauge, withoutTrace, type Clock, type Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { createMessageTexts, type MessageText } from './message-texts.ts';
import { SubscriptionIndex } from './subscription-index.ts';

const waitingDevices = new Gauge({
  name: 'tidings_inbox_waiting_devices',
  help: 'Open connections of devices that wait for IN_APP and ON_SITE messages.',
});

/** Lease of a fetched message. The device must confirm it within this time, or another device gets it. */
const MESSAGE_LEASE_MS = 30_000;
/** Subscriptions per SQL statement. */
const SUBSCRIPTIONS_PER_STATEMENT = 500;
/** Poll interval of all subscriptions: notifications can be lost, leases expire, campaigns resume. */
const POLL_INTERVAL_MS = 15_000;
/** Timer of the loop. A failed statement is retried at the next tick. */
const TICK_MS = 1_000;
/** Connections per device (browser windows). A further one replaces the oldest. */
const PER_DEVICE_MAX = 6;

/**
 * `no_such_device`: the device was deleted. `replaced`: a newer connection of the device, or another application, took the
 * place. `closed`: the process is stopping.
 */
export type EndReason = 'no_such_device' | 'replaced' | 'closed';

/** A connection that waits for messages of its device's user. */
export interface Subscriber {
  readonly question: InboxQuestion;
  /** The device's user when the connection opened. Messages go to the user at delivery time. */
  readonly userId: string;
  /** Returns false when the connection is gone: the leases are released at once. */
  deliver(messages: readonly MessageText[]): boolean;
  /** Called once a second. */
  tick(nowMs: number): void;
  end(why: EndReason): void;
}

type Subscription = { readonly subscriber: Subscriber; userId: string };

export type InboxSubscriptionsOptions = {
  readonly db: Pick<Database, 'sql'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly subscribersMax: number;
  readonly pollIntervalMs?: number;
  readonly leaseMs?: number;
};

/**
 * All connections that wait for inbox messages. They share one loop: it leases messages for every due subscription in one
 * statement at a time. A subscription is due when it is new, when `notify` names its user, and every 15 s. There is no
 * timer and no query per connection. One application may use all places while no other application wants them.
 */
export class InboxSubscriptions {
  readonly #options: InboxSubscriptionsOptions;
  readonly #readTexts: ReturnType<typeof createMessageTexts>;
  readonly #subscriptions = new Set<Subscription>();
  readonly #byUser = new SubscriptionIndex<Subscription>();
  readonly #byDevice = new SubscriptionIndex<Subscription>();
  readonly #byApplication = new SubscriptionIndex<Subscription>();
  readonly #due = new Set<Subscription>();
  #polledAt: number;
  #ticker: NodeJS.Timeout | undefined;
  #serving: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: InboxSubscriptionsOptions) {
    this.#options = options;
    this.#readTexts = createMessageTexts(options.db);
    this.#polledAt = options.clock.monotonicMs();
  }

  /**
   * Null when all places are taken and the subscriber's application has its share of them. After `close` the subscriber is
   * ended at once.
   */
  subscribe(subscriber: Subscriber): { unsubscribe(): void } | null {
    if (this.#isClosed) {
      // Later, because the caller does not have the result of this call yet.
      queueMicrotask(() => subscriber.end('closed'));
      return { unsubscribe: () => undefined };
    }
    const { applicationId } = subscriber.question;
    if (!this.#makeRoomFor(applicationId)) return null;
    const subscription: Subscription = { subscriber, userId: subscriber.userId };
    const key = deviceKey(subscriber.question);
    const [oldest] = this.#byDevice.get(key);
    if (oldest !== undefined && this.#byDevice.get(key).size >= PER_DEVICE_MAX)
      this.#end(oldest, 'replaced');
    this.#subscriptions.add(subscription);
    this.#byUser.add(subscription.userId, subscription);
    this.#byDevice.add(key, subscription);
    this.#byApplication.add(applicationId, subscription);
    waitingDevices.set(this.#subscriptions.size);
    this.#due.add(subscription);
    this.#ticker ??= withoutTrace(() => setInterval(() => this.#tick(), TICK_MS));
    this.#serve();
    return { unsubscribe: () => this.#remove(subscription) };
  }

  /** Messages wait for these users. Null: messages may wait for any user. */
  notify(userIds: readonly string[] | null): void {
    if (userIds === null) {
      for (const subscription of this.#subscriptions) this.#due.add(subscription);
    } else {
      for (const userId of userIds)
        for (const subscription of this.#byUser.get(userId)) this.#due.add(subscription);
    }
    this.#serve();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const subscription of this.#subscriptions) this.#end(subscription, 'closed');
    await this.#serving;
  }

  #remove(subscription: Subscription): void {
    if (!this.#subscriptions.delete(subscription)) return;
    const { question } = subscription.subscriber;
    this.#due.delete(subscription);
    this.#byUser.delete(subscription.userId, subscription);
    this.#byDevice.delete(deviceKey(question), subscription);
    this.#byApplication.delete(question.applicationId, subscription);
    waitingDevices.set(this.#subscriptions.size);
    if (this.#subscriptions.size > 0) return;
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  }

  #end(subscription: Subscription, why: EndReason): void {
    this.#remove(subscription);
    subscription.subscriber.end(why);
  }

  /** When full, ends the oldest subscription of the largest application, as long as that one has at least two more. */
  #makeRoomFor(applicationId: string): boolean {
    if (this.#subscriptions.size < this.#options.subscribersMax) return true;
    const largest = this.#byApplication.largest();
    const [oldest] = largest;
    if (oldest === undefined || largest.size <= this.#byApplication.get(applicationId).size + 1)
      return false;
    this.#end(oldest, 'replaced');
    return true;
  }

  /** One statement at a time. Subscriptions that become due meanwhile are part of the next. */
  #serve(): void {
    if (this.#due.size === 0 || this.#isClosed) return;
    this.#serving ??= withoutTrace(() =>
      this.#serveAllDue().then(
        () => {
          this.#serving = undefined;
          this.#serve();
        },
        (err: unknown) => {
          this.#serving = undefined;
          this.#options.logger.warn({ err }, 'could not read inbox messages, retrying');
        },
      ),
    );
  }

  async #serveAllDue(): Promise<void> {
    while (this.#due.size > 0 && !this.#isClosed) {
      const taken = [...this.#due].slice(0, SUBSCRIPTIONS_PER_STATEMENT);
      for (const subscription of taken) this.#due.delete(subscription);
      try {
        await this.#leaseFor(taken);
      } catch (error) {
        for (const subscription of taken)
          if (this.#subscriptions.has(subscription)) this.#due.add(subscription);
        throw error;
      }
    }
  }

  async #leaseFor(subscriptions: readonly Subscription[]): Promise<void> {
    const { db, leaseMs = MESSAGE_LEASE_MS } = this.#options;
    const answers = await leaseMessages(
      db,
      subscriptions.map(({ subscriber }) => subscriber.question),
      { leaseMs },
    );
    const toText = await this.#readTexts(answers.flatMap(({ messages }) => messages));
    for (const [index, subscription] of subscriptions.entries()) {
      const { userId, messages } = answers[index] ?? { userId: null, messages: [] };
      if (userId === null) this.#end(subscription, 'no_such_device');
      else if (messages.length > 0) await this.#deliver(subscription, userId, messages.map(toText));
      if (!this.#subscriptions.has(subscription)) continue;
      // A full answer: more messages may wait.
      if (messages.length === subscription.subscriber.question.messagesMax)
        this.#due.add(subscription);
      if (userId !== null) this.#setUser(subscription, userId);
    }
  }

  #setUser(subscription: Subscription, userId: string): void {
    if (userId === subscription.userId) return;
    this.#byUser.delete(subscription.userId, subscription);
    subscription.userId = userId;
    this.#byUser.add(userId, subscription);
  }

  async #deliver(
    subscription: Subscription,
    userId: string,
    messages: readonly MessageText[],
  ): Promise<void> {
    const { subscriber } = subscription;
    if (this.#subscriptions.has(subscription) && subscriber.deliver(messages)) return;
    // Without this, a dead connection would lease the same messages again and again.
    this.#remove(subscription);
    await releaseLeases(
      this.#options.db,
      { ...subscriber.question, afterNo: (messages[0]?.lease.leaseNo ?? 0) - 1 },
      userId,
    );
    this.notify([userId]);
  }

  #tick(): void {
    const { clock, pollIntervalMs = POLL_INTERVAL_MS } = this.#options;
    const nowMs = clock.monotonicMs();
    for (const { subscriber } of this.#subscriptions) subscriber.tick(nowMs);
    if (nowMs - this.#polledAt >= pollIntervalMs) {
      this.#polledAt = nowMs;
      this.notify(null);
    } else this.#serve();
  }
}

const deviceKey = ({ applicationId, deviceId }: InboxQuestion): string =>
  `${applicationId}:${deviceId}`;
