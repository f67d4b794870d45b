import { dateOf, type UntilAnswer } from '@tidings/segments/until';
import type { UntilNode } from '@tidings/contracts/automations/calendar';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { Purpose } from '@tidings/contracts/push/purposes';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { Sql } from '@tidings/postgres/database';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { isUnsubscribed } from '@tidings/automations/ask';
import { readQuietUntil } from '@tidings/delivery/quiet-of-people';
import { selectMembers } from '@tidings/segments/members';
import { readPersonCalendars, type PersonCalendar } from '@tidings/segments/person-calendar';
import { isTimeless, readUnreachable } from '@tidings/segments/stored-people';

/** What runs of some people ask, besides events. */
export type Asker = {
  isTrue(condition: Condition, userId: string, at: number): Promise<boolean>;
  /** Their zone, and the date that the node names. */
  calendar(node: UntilNode, userId: string): Promise<UntilAnswer>;
  /** When the quiet hours of channels end, at an instant; null: it is not quiet. */
  quietUntil(
    channels: readonly Channel[],
    userId: string,
    at: number,
  ): Promise<readonly (number | null)[]>;
  /** Whether other messages reach them now, and marketing does not. */
  isUnsubscribed(channel: Channel, userId: string): Promise<boolean>;
  /** Why no message would reach them now; null: one would. */
  unreachable(channel: Channel, userId: string): Promise<string | null>;
};

/**
 * Answers from the database, for some people. What does not depend on the moment is asked for all of
 * them at once, the rest for each person and instant.
 * @param now the moment whose profiles are asked
 */
export function createAsker(
  sql: Sql,
  {
    context,
    purpose,
    now,
  }: { readonly context: ConditionContext; readonly purpose: Purpose; readonly now: number },
  userIds: readonly string[],
): Asker {
  const members = new Map<Condition, Promise<ReadonlySet<string>> | null>();
  const reasons = new Map<Channel, Promise<ReadonlyMap<string, string>>>();
  const answers = new Map<Condition, Map<string, boolean>>();
  const unsubscribed = new Map<Channel, Promise<ReadonlySet<string>>>();
  const calendars = new Map<string, Promise<ReadonlyMap<string, PersonCalendar>>>();
  const membersOf = (condition: Condition): Promise<ReadonlySet<string>> | null => {
    let known = members.get(condition);
    if (known === undefined) {
      known = isTimeless(condition, context)
        ? selectMembers(sql, { context, condition, now }, userIds)
        : null;
      members.set(condition, known);
    }
    return known;
  };
  return {
    async isTrue(condition, userId, at) {
      const of = membersOf(condition);
      if (of !== null) return (await of).has(userId);
      const known = answers.get(condition) ?? new Map<string, boolean>();
      answers.set(condition, known);
      const key = `${userId} ${at}`;
      const answered = known.get(key);
      if (answered !== undefined) return answered;
      const found = await selectMembers(sql, { context, condition, now: at }, [userId]);
      known.set(key, found.has(userId));
      return found.has(userId);
    },
    async calendar(node, userId) {
      const date = dateOf(node);
      const dates = date === null ? [] : [date];
      const known =
        calendars.get(node.id) ?? readPersonCalendars(sql, { context, now, dates }, userIds);
      calendars.set(node.id, known);
      const own = (await known).get(userId);
      if (own === undefined) throw new Error('a person of a rehearsal is missing');
      const { timeZone, applicationZone } = own;
      return { timeZone, applicationZone, date: own.dates[0] ?? null };
    },
    async quietUntil(channels, userId, at) {
      if (purpose !== 'marketing') return [];
      return (await readQuietUntil(sql, { channels, now: at }, [userId])).get(userId) ?? [];
    },
    async isUnsubscribed(channel, userId) {
      const condition = isUnsubscribed(channel);
      const known =
        unsubscribed.get(channel) ?? selectMembers(sql, { context, condition, now }, userIds);
      unsubscribed.set(channel, known);
      return (await known).has(userId);
    },
    async unreachable(channel, userId) {
      const known =
        reasons.get(channel) ?? readUnreachable(sql, { context, channel, purpose, now }, userIds);
      reasons.set(channel, known);
      return (await known).get(userId) ?? null;
    },
  };
}
