import { isDeepStrictEqual } from 'node:util';
import {
  customUserIdOf,
  serviceUserIdsOf,
  type SentEntry,
  type SentMessage,
} from '../../load/ingest/batches.ts';
import type { Json } from '../../load/json.ts';
import type { Stored } from './stored.ts';

export type ProfileOptions = {
  readonly prefix: string;
  readonly application: number;
  readonly users: number;
};

const NOT_FIELDS: ReadonlySet<string> = new Set(['type', 'id', 'time', 'customAttributes']);

/**
 * Checks the profiles of one application: each is the aggregate of its processed updates, in any
 * order of arrival. Receipts tell which updates were processed; `stored once` checks that all
 * acknowledged ones were.
 */
export function checkProfiles(
  entries: readonly SentEntry[],
  { receipts, users }: Stored,
  { prefix, application, users: count }: ProfileOptions,
): readonly string[] {
  const processed = new Set(
    receipts
      .filter(({ type, outcome }) => type === 'user' && outcome === 'processed')
      .map(({ messageId }) => messageId),
  );
  const owners = new Map<string, number>();
  for (let user = 0; user < count; user += 1) {
    const person = { prefix, application, user };
    for (const id of [customUserIdOf(person), ...serviceUserIdsOf(person)]) owners.set(id, user);
  }
  const updates = new Map<number, Map<string, SentMessage>>();
  for (const { batch } of entries) {
    const owner = owners.get(batch.customUserId ?? batch.serviceUserId ?? '');
    if (owner === undefined) continue;
    for (const [index, message] of batch.messages.entries()) {
      // An id repeated within a batch counts for its first message.
      const isRepeated = batch.messages.findIndex(({ id }) => id === message.id) < index;
      if (message.type !== 'user' || isRepeated || !processed.has(message.id)) continue;
      updates.set(owner, (updates.get(owner) ?? new Map()).set(message.id, message));
    }
  }
  const stored = new Map(users.map((user) => [user.customUserId, user]));
  return [...updates].flatMap(([user, messages]) => {
    const customUserId = customUserIdOf({ prefix, application, user });
    const found = stored.get(customUserId);
    if (found === undefined || !found.isRegistered) return [`${customUserId}: not registered`];
    const expected = aggregateProfile([...messages.values()]);
    const actual = { fields: { ...found.fields }, customAttributes: { ...found.customAttributes } };
    return isDeepStrictEqual(actual, expected)
      ? []
      : [`${customUserId}: has ${JSON.stringify(actual)}, should have ${JSON.stringify(expected)}`];
  });
}

type Register = { readonly value: Json; readonly time: number; readonly id: string };

/** For each field and custom attribute, the value with the greatest (time, id); null clears. */
export function aggregateProfile(messages: readonly SentMessage[]): {
  readonly fields: Record<string, Json>;
  readonly customAttributes: Record<string, Json>;
} {
  const fields = new Map<string, Register>();
  const custom = new Map<string, Register>();
  const write = (registers: Map<string, Register>, name: string, next: Register): void => {
    const last = registers.get(name);
    if (
      last === undefined ||
      next.time > last.time ||
      (next.time === last.time && next.id > last.id)
    )
      registers.set(name, next);
  };
  for (const message of messages) {
    const { id, time } = message;
    for (const [name, value] of Object.entries(message))
      if (!NOT_FIELDS.has(name) && value !== undefined) write(fields, name, { value, time, id });
    for (const [name, value] of Object.entries(
      (message['customAttributes'] ?? {}) as Readonly<Record<string, Json>>,
    ))
      write(custom, name, { value, time, id });
  }
  const present = (registers: Map<string, Register>): Record<string, Json> =>
    Object.fromEntries(
      [...registers]
        .filter(([, { value }]) => value !== null)
        .map(([name, { value }]) => [name, value]),
    );
  return { fields: present(fields), customAttributes: present(custom) };
}
