import { AGREED_SEGMENTS } from './definitions.ts';
import { HOUR_MS, MINUTE_MS, profileAt, STEP_MS, type Deed, type Person } from './history.ts';

/** When the history begins, with the activation of its automations, and when it ends. */
export type Span = {
  readonly from: number;
  readonly to: number;
  /** By the id of a split. */
  readonly found?: ReadonlyMap<string, FoundBranch>;
};

/** The better branch of a split, and when it was found. */
export type FoundBranch = { readonly branch: number; readonly at: number };

/** The zone of an application that has none. */
export const ZONE = 'UTC';
/** Of the application, for mails. */
export const QUIET = { from: '22:00', to: '07:00' } as const;

export const ms = (duration: string): number => {
  const unit = { m: MINUTE_MS, h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS };
  return Number(duration.slice(0, -1)) * unit[duration.slice(-1) as keyof typeof unit];
};

/** Later by time, then by arrival, then by id. */
export const isLater = (one: Deed, other: Deed): boolean =>
  one.time !== other.time
    ? one.time > other.time
    : one.receivedAt !== other.receivedAt
      ? one.receivedAt > other.receivedAt
      : one.messageId > other.messageId;

type Where = readonly { readonly gte?: number }[] | undefined;
const has = (deed: Deed, name: string, where: Where): boolean =>
  deed.name === name && (where ?? []).every(({ gte = 0 }) => deed.attributes.price >= gte);
export type Named = { readonly event: unknown; readonly where?: unknown };
export const nameOf = ({ event }: Named): string => (event as { readonly name: string }).name;
export const isSuch = (deed: Deed, named: Named): boolean =>
  has(deed, nameOf(named), named.where as Where);

/** Conditions of `definitions.ts`. */
export function isTrue(condition: unknown, person: Person, at: number): boolean {
  const of = condition as Readonly<Record<string, unknown>>;
  if ('not' in of) return !isTrue(of['not'], person, at);
  if ('any' in of)
    return (of['any'] as readonly unknown[]).some((each) => isTrue(each, person, at));
  if ('attribute' in of) return profileAt(person, at).plan === of['is'];
  if ('reachable' in of) return person.email !== null;
  const after = 'within' in of ? at - ms(String(of['within'])) : -Infinity;
  const { gte = 1 } = (of['count'] ?? {}) as { readonly gte?: number };
  const found = person.deeds.filter(
    (deed) => deed.name === 'view' && deed.time > after && deed.time <= at,
  );
  return found.length >= gte;
}

export const isMember = (segment: string, person: Person, at: number): boolean =>
  person.registeredAt <= at &&
  isTrue(AGREED_SEGMENTS[segment as keyof typeof AGREED_SEGMENTS], person, at);

type Move = { readonly at: number; readonly isMember: boolean };

/** When someone became a member of a segment, or none any more, since the activation. */
export function movesOf(segment: string, person: Person, { from, to }: Span): Move[] {
  const moves: Move[] = [];
  let before = isMember(segment, person, from - 1);
  for (let at = from; at <= to; at += STEP_MS) {
    const now = isMember(segment, person, at);
    if (now !== before) moves.push({ at, isMember: now });
    before = now;
  }
  return moves;
}
