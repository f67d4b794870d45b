import type { JsonObject } from '../json.ts';
import type { Entry } from '../ledger.ts';
import { pick, type Random } from '../random.ts';

export type MessageType = 'action' | 'revenue' | 'businessEvent' | 'user';

/** A message as sent; its other fields depend on the type. */
export type SentMessage = {
  readonly type: MessageType;
  readonly id: string;
  readonly time: number;
} & JsonObject;

/** A request body, and the application that sends it. */
export type SentBatch = {
  readonly application: number;
  readonly customUserId?: string;
  readonly serviceUserId?: string;
  readonly messages: readonly SentMessage[];
};

/** A batch with all attempts. */
export type SentEntry = Entry & { readonly batch: SentBatch };

export function toEntry(batch: SentBatch): SentEntry {
  return { batch, attempts: [] };
}

export type BatchesOptions = {
  readonly random: Random;
  readonly applications: number;
  readonly users: number;
  /** Prefix of all ids, so that runs on one installation do not collide. */
  readonly prefix: string;
};

const MESSAGES_MAX = 20;
/** Yesterday: far from the limits beyond which a time is replaced by the acceptance time. */
const FIRST_TIME_MS = Date.now() - 86_400_000;
/** Few distinct times, so that profile updates often tie and the message id decides. */
const PROFILE_TIMES = 40;
const REMEMBERED = 200;

const CHANCES = {
  repeatBatch: 0.03,
  repeatId: 0.03,
  repeatIdInBatch: 0.01,
  repeatTime: 0.04,
  blankName: 0.01,
  unknownSlug: 0.01,
  clears: 0.15,
} as const;

/**
 * Creates batches of 1 to 20 messages of all four types. Some reuse an id or (serviceUserId, time),
 * and some are sent twice. A serviceUserId always belongs to the same user, so that there are no
 * identity conflicts.
 */
export function createBatches({ random, applications, users, prefix }: BatchesOptions): {
  next(): SentBatch;
} {
  const recent: SentBatch[] = [];
  const recentEventIds: string[] = [];
  const recentTimes = new Map<string, number[]>();
  let batchCount = 0;
  let eventCount = 0;

  const happens = (chance: number): boolean => random() < chance;
  const remember = <T>(list: T[], item: T): void => {
    if (list.push(item) > REMEMBERED) list.shift();
  };

  function newTime(serviceUserId: string | undefined): number {
    const times = recentTimes.get(serviceUserId ?? '') ?? [];
    if (times.length > 0 && happens(CHANCES.repeatTime)) return pick(random, times);
    eventCount += 1;
    const time = FIRST_TIME_MS + eventCount;
    remember(times, time);
    recentTimes.set(serviceUserId ?? '', times);
    return time;
  }

  function newId(fresh: string): string {
    if (recentEventIds.length > 0 && happens(CHANCES.repeatId)) return pick(random, recentEventIds);
    remember(recentEventIds, fresh);
    return fresh;
  }

  function event(
    type: Exclude<MessageType, 'user'>,
    { tag, serviceUserId }: { readonly tag: string; readonly serviceUserId?: string | undefined },
  ): SentMessage {
    const id = newId(`${prefix}-${tag}`);
    const name = happens(CHANCES.blankName)
      ? { customName: '  ' }
      : happens(CHANCES.unknownSlug)
        ? { name: 'no-such' }
        : { customName: `${type} ${Math.floor(random() * 12)}` };
    const own =
      type === 'revenue'
        ? { revenue: Math.floor(random() * 10_000) / 100, currency: 'EUR' }
        : { attributes: { tag, count: Math.floor(random() * 9), at: '2024-11-20T10:00:00.000Z' } };
    return { type, id, time: newTime(serviceUserId), ...name, ...own };
  }

  function profile(tag: string): SentMessage {
    const value = <T>(make: () => T): T | null => (happens(CHANCES.clears) ? null : make());
    const fields: Record<string, string | number | null> = {};
    for (const field of ['firstName', 'lastName', 'gender', 'email']) {
      if (happens(0.4)) fields[field] = value(() => `${field} ${tag}`);
    }
    if (happens(0.3)) fields['birthday'] = value(() => Math.floor(random() * 2e12) - 1e12);
    const customAttributes: Record<string, string | number | null> = {};
    for (let key = 0; key < 4; key += 1) {
      if (happens(0.4))
        customAttributes[`key${key}`] = value(() =>
          happens(0.5) ? tag : Math.floor(random() * 100),
        );
    }
    return {
      type: 'user',
      id: `${prefix}-${tag}`,
      time: FIRST_TIME_MS + Math.floor(random() * PROFILE_TIMES),
      ...fields,
      customAttributes,
    };
  }

  return {
    next() {
      if (recent.length > 0 && happens(CHANCES.repeatBatch)) return pick(random, recent);
      const n = (batchCount += 1);
      const isNobody = happens(0.1);
      const application = Math.floor(random() * applications);
      const user = Math.floor(random() * users);
      const identity = isNobody ? {} : chooseIdentity(random, { prefix, application, user });
      const size = Math.max(1, Math.floor(MESSAGES_MAX ** random()));
      const messages: SentMessage[] = [];
      for (let index = 0; index < size; index += 1) {
        const tag = `${n}-${index}`;
        const type = isNobody
          ? 'businessEvent'
          : pick(random, ['action', 'action', 'revenue', 'businessEvent', 'user'] as const);
        const message =
          type === 'user'
            ? profile(tag)
            : event(type, { tag, serviceUserId: identity.serviceUserId });
        const first = messages[0];
        messages.push(
          first !== undefined && happens(CHANCES.repeatIdInBatch)
            ? { ...message, id: first.id }
            : message,
        );
      }
      const batch = { application, ...identity, messages };
      remember(recent, batch);
      return batch;
    },
  };
}

type Person = { readonly prefix: string; readonly application: number; readonly user: number };

export function customUserIdOf({ prefix, user }: Person): string {
  return `${prefix}-user-${user}`;
}

/** Two per user, e.g. of two browsers. */
export function serviceUserIdsOf({ prefix, application, user }: Person): readonly [string, string] {
  const of = (device: number): string => {
    const digits = Buffer.from(`${prefix}/${application}/${user}/${device}`)
      .toString('hex')
      .padEnd(32, '0')
      .slice(-31);
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(12, 15)}-8${digits.slice(15, 18)}-${digits.slice(18, 30)}`;
  };
  return [of(0), of(1)];
}

function chooseIdentity(
  random: Random,
  person: Person,
): { readonly customUserId?: string; readonly serviceUserId?: string } {
  const customUserId = customUserIdOf(person);
  const serviceUserId = pick(random, serviceUserIdsOf(person));
  const kind = random();
  if (kind < 0.55) return { customUserId, serviceUserId };
  return kind < 0.8 ? { customUserId } : { serviceUserId };
}

/**
 * Messages that link each user's ids, for the end of a run: otherwise an anonymous device keeps its
 * own user.
 */
export function lastProfileUpdates({
  applications,
  users,
  prefix,
}: Omit<BatchesOptions, 'random'>): SentBatch[] {
  const everyone = Array.from({ length: applications }, (_, application) =>
    Array.from({ length: users }, (_, user) => ({ prefix, application, user })),
  ).flat();
  return everyone.flatMap((person) =>
    serviceUserIdsOf(person).map((serviceUserId, device) => ({
      application: person.application,
      customUserId: customUserIdOf(person),
      serviceUserId,
      messages: [
        {
          type: 'user' as const,
          id: `${prefix}-farewell-${person.user}-${device}`,
          time: FIRST_TIME_MS - 1,
        },
      ],
    })),
  );
}
