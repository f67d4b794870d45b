import {
  ADDRESS_OF,
  DEFAULT_TIME_ZONE,
  TIME_ZONE_ATTRIBUTE,
  type AttributePath,
  type Channel,
  type Comparison,
  type Condition,
  type ConditionInstant,
  type EventCondition,
  type EventReference,
  type EventWindow,
  type FieldCondition,
  type FollowingEvent,
  type MessageCondition,
  type NumberRange,
  type Purpose,
} from '@tidings/contracts';
import { mailboxKey } from '@tidings/platform';
import type { Person, Population, StoredEvent } from './population.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const ms = (duration: string): number =>
  Number(duration.slice(0, -1)) * Number(UNIT_MS[duration.slice(-1)]);

/**
 * Whether a condition is true of a person, evaluated one value at a time in memory. The statements
 * are compared with it, so it shares no code with them.
 */
export function evaluate(condition: Condition, person: Person, of: Population): boolean {
  if ('all' in condition) return condition.all.every((child) => evaluate(child, person, of));
  if ('any' in condition) return condition.any.some((child) => evaluate(child, person, of));
  if ('not' in condition) return !evaluate(condition.not, person, of);
  if ('segment' in condition) {
    const named = of.segments.get(condition.segment);
    return named !== undefined && evaluate(named, person, of);
  }
  if ('field' in condition) {
    const isMs = condition.field === 'birthday' || condition.field === 'registeredAt';
    return compare(fieldOf(condition, person, of), condition, { of, isMs });
  }
  if ('attribute' in condition) {
    const [key = ''] = [condition.attribute].flat();
    const isHidden = condition.proved === true && person.clocks.custom[key]?.[2] === 'client';
    const value = isHidden ? undefined : at(person.customAttributes, condition.attribute);
    return compare(value, condition, { of, isMs: false });
  }
  if ('event' in condition) return evaluateEvent(condition, person, of);
  if ('reachable' in condition)
    return isReachable(condition.reachable, condition.purpose ?? 'transactional', { person, of });
  return evaluateMessage(condition, person, of);
}

/** Events that a leaf counts. */
function qualifyingEvents(
  condition: EventCondition,
  person: Person,
  of: Population,
): StoredEvent[] {
  const slugs = slugsOf(condition.event, of);
  return person.events.filter((event) => {
    if (!slugs.has(event.slug) || !isInWindow(event.time, condition, of.now)) return false;
    if (condition.currency !== undefined && event.currency !== condition.currency) return false;
    if (condition.proved === true && event.isProved !== true) return false;
    if (!isSuch(event, condition, of)) return false;
    if (
      condition.followedBy !== undefined &&
      !hasFollower(event, condition.followedBy, { person, of })
    )
      return false;
    const { notFollowedBy } = condition;
    if (notFollowedBy === undefined) return true;
    const isOver = notFollowedBy.in === undefined || event.time + ms(notFollowedBy.in) <= of.now;
    return isOver && !hasFollower(event, notFollowedBy, { person, of });
  });
}

function evaluateEvent(condition: EventCondition, person: Person, of: Population): boolean {
  const events = qualifyingEvents(condition, person, of);
  if (!isInRange(decimal(events.length), condition.count ?? { gte: 1 })) return false;
  if (condition.sum === undefined) return true;
  return isInRange(sumOf(events), condition.sum);
}

/** Of the amounts, in units of {@link decimal}. */
const sumOf = (events: readonly StoredEvent[]): bigint =>
  events.reduce((sum, { revenue }) => sum + decimal(revenue ?? 0), 0n);

type Where = { readonly person: Person; readonly of: Population };

const hasFollower = (event: StoredEvent, step: FollowingEvent, { person, of }: Where): boolean => {
  const slugs = slugsOf(step.event, of);
  return person.events.some(
    (other) =>
      slugs.has(other.slug) &&
      isLater(other, event) &&
      other.time <= of.now &&
      (step.in === undefined || other.time <= event.time + ms(step.in)) &&
      isSuch(other, step, of),
  );
};

function isLater(a: StoredEvent, b: StoredEvent): boolean {
  if (a.time !== b.time) return a.time > b.time;
  if (a.receivedAt !== b.receivedAt) return a.receivedAt > b.receivedAt;
  return Buffer.compare(Buffer.from(a.messageId), Buffer.from(b.messageId)) > 0;
}

const isSuch = (
  event: StoredEvent,
  { where = [] }: Pick<FollowingEvent, 'where'>,
  of: Population,
): boolean =>
  where.every((comparison) =>
    compare(at(event.attributes ?? {}, comparison.attribute), comparison, { of, isMs: false }),
  );

function slugsOf(reference: EventReference, { definitions }: Population): ReadonlySet<string> {
  const named = definitions.find((each) =>
    typeof reference === 'string'
      ? each.slug === reference
      : each.name === reference.name && each.kind === reference.kind,
  );
  const target = named?.mergedInto ?? named?.slug;
  return new Set(
    definitions
      .filter(
        ({ slug, mergedInto }) =>
          target !== undefined && (slug === target || mergedInto === target),
      )
      .map(({ slug }) => slug),
  );
}

function isInWindow(time: number, { within, from, to }: EventWindow, now: number): boolean {
  if (time > now) return false;
  if (within !== undefined) return time > now - ms(within);
  return (from === undefined || time >= from) && (to === undefined || time < to);
}

function fieldOf({ field, proved }: FieldCondition, person: Person, of: Population): unknown {
  if (field === 'registeredAt') return person.registeredAt;
  if (field === 'timeZone') {
    const own = person.customAttributes[TIME_ZONE_ATTRIBUTE];
    if (typeof own === 'string') return own;
    const [device] = person.devices
      .filter(({ isProof, timeZone }) => isProof && timeZone !== null)
      .toSorted((a, b) => b.seenAt - a.seenAt);
    return device?.timeZone ?? of.timeZone ?? DEFAULT_TIME_ZONE;
  }
  const isHidden = proved === true && person.clocks.fields[field]?.[2] === 'client';
  return isHidden ? undefined : person.fields[field];
}

/** The value below keys of objects. */
function at(object: unknown, path: AttributePath): unknown {
  return [path]
    .flat()
    .reduce<unknown>(
      (value, key) =>
        typeof value === 'object' &&
        value !== null &&
        !Array.isArray(value) &&
        Object.hasOwn(value, key)
          ? (value as Readonly<Record<string, unknown>>)[key]
          : undefined,
      object,
    );
}

function compare(
  value: unknown,
  comparison: Comparison,
  { of, isMs }: { readonly of: Population; readonly isMs: boolean },
): boolean {
  const { is, isNot, exists, contains, startsWith, before, after } = comparison;
  if (is !== undefined) return isEqual(value, is);
  if (isNot !== undefined) return !isEqual(value, isNot);
  if (comparison.in !== undefined) return comparison.in.some((each) => isEqual(value, each));
  if (comparison.notIn !== undefined) return !comparison.notIn.some((each) => isEqual(value, each));
  if (exists !== undefined) return (value !== undefined && value !== null) === exists;
  if (contains !== undefined) return typeof value === 'string' && value.includes(contains);
  if (startsWith !== undefined) return typeof value === 'string' && value.startsWith(startsWith);
  if (before !== undefined || after !== undefined) {
    const instant = isMs ? value : dateOf(value);
    if (typeof instant !== 'number') return false;
    return (
      (before === undefined || instant < toMoment(before, of.now)) &&
      (after === undefined || instant > toMoment(after, of.now))
    );
  }
  if (typeof value !== 'number' && typeof value !== 'bigint') return false;
  return isInRange(decimal(value), comparison);
}

/** Numbers are equal by value, also of different types; nothing else is converted. */
function isEqual(value: unknown, operand: unknown): boolean {
  if (typeof value === 'bigint')
    return typeof operand === 'number' && Number.isInteger(operand) && BigInt(operand) === value;
  return value === operand;
}

function dateOf(value: unknown): number | null {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value))
    return null;
  const date = new Date(value);
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() === 0) return null;
  return date.toISOString() === value ? date.getTime() : null;
}

const toMoment = (moment: ConditionInstant, now: number): number => {
  if (typeof moment === 'number') return moment;
  return 'ago' in moment ? now - ms(moment.ago) : now + ms(moment.ahead);
};

const PLACES = 40;

/** A number, digit by digit: an integer count of 10^-40. */
function decimal(value: number | bigint): bigint {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const digits = BigInt(`${whole}${fraction}`);
  return digits * 10n ** BigInt(PLACES + Number(exponent) - fraction.length);
}

const isInRange = (value: bigint, { gt, gte, lt, lte }: NumberRange): boolean =>
  (gt === undefined || value > decimal(gt)) &&
  (gte === undefined || value >= decimal(gte)) &&
  (lt === undefined || value < decimal(lt)) &&
  (lte === undefined || value <= decimal(lte));

function isReachable(channel: Channel, purpose: Purpose, { person, of }: Where): boolean {
  const status = of.channels[channel];
  if (status === undefined || (status === 'untested' && !of.sendUntested)) return false;
  const address = ADDRESS_OF[channel]({
    ...person.fields,
    phoneE164: person.phoneE164,
    deviceKinds: person.devices
      .filter(({ isProof, hasAddress }) => isProof && hasAddress)
      .map(({ kind }) => kind),
  });
  if ('reason' in address) return false;
  const key =
    channel === 'EMAIL' ? mailboxKey(address.address) : channel === 'SMS' ? address.address : null;
  return !of.suppressions.some(
    (each) =>
      each.channel === channel &&
      (channel === 'EMAIL' ? mailboxKey(each.address) : each.address) === key &&
      (purpose === 'marketing' || each.reason !== 'unsubscribed'),
  );
}

function evaluateMessage(condition: MessageCondition, person: Person, of: Population): boolean {
  return person.messages.some((message) => {
    const reached = message[condition.was];
    return (
      message.campaignId === condition.message.campaignId &&
      reached !== null &&
      isInWindow(reached, condition, of.now)
    );
  });
}
