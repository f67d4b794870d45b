import type { DateTrigger } from '@tidings/contracts/automations/calendar';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import { dateInstant, isOfCron } from './calendar.ts';
import { isLater, isMember, isSuch, movesOf, ms, ZONE, type Span } from './facts.ts';
import { MINUTE_MS, type Deed, type Person } from './history.ts';

/** What can enter a person. */
export type Chance = {
  readonly at: number;
  /** Its own time. */
  readonly time: number;
  readonly deed: Deed | null;
};

/** All that may enter a person, in its order. */
export function chancesOf(
  { trigger }: AutomationDefinition,
  person: Person,
  span: Span,
): readonly Chance[] {
  const { from, to } = span;
  if ('when' in trigger) {
    const existing =
      trigger.existing === true && isMember(trigger.segment, person, from - 1) ? [from] : [];
    const moves = movesOf(trigger.segment, person, span)
      .filter((move) => move.isMember === (trigger.when === 'enters'))
      .map(({ at }) => at);
    return [...existing, ...moves].map((at) => ({ at, time: at, deed: null }));
  }
  if ('schedule' in trigger) {
    const { cron, timeZone = ZONE } = trigger.schedule;
    const chances: Chance[] = [];
    for (let at = from + 1; at <= to; at += 1) {
      at = Math.ceil(at / (15 * MINUTE_MS)) * 15 * MINUTE_MS;
      if (at <= to && isOfCron(at, cron, timeZone) && isMember(trigger.segment, person, at))
        chances.push({ at, time: at, deed: null });
    }
    return chances;
  }
  if ('date' in trigger) return datesOf(trigger, person, from);
  if (!('event' in trigger)) throw new TypeError('a trigger of no kind');
  const { maxAge = '1h' } = trigger;
  const isEarlier = ({ receivedAt }: Deed): boolean => receivedAt < person.registeredAt;
  // Those of before the registration come after those that are received with it, by their own time.
  const inOrder = (one: Deed, other: Deed): number =>
    isEarlier(one) && isEarlier(other)
      ? Number(isLater(one, other)) - Number(isLater(other, one))
      : Number(isEarlier(one)) - Number(isEarlier(other));
  // Events may enter them when they are received, or once they are registered.
  return person.deeds
    .filter(({ receivedAt }) => receivedAt >= from)
    .map((deed) => ({
      deed,
      time: deed.time,
      at: Math.max(deed.receivedAt, person.registeredAt),
    }))
    .toSorted((one, other) => one.at - other.at || inOrder(one.deed, other.deed))
    .filter(
      ({ deed, at }) =>
        isSuch(deed, trigger) &&
        (deed.isProved || trigger.from === 'anyone') &&
        (maxAge === null || at - deed.time <= ms(maxAge)),
    );
}

/**
 * The instants of a date: each value has one, until there is another. Of values that mean one
 * instant, the first has it.
 */
function datesOf(
  { at: time, offset, maxAge = '1d' }: DateTrigger,
  person: Person,
  activatedAt: number,
): readonly Chance[] {
  const values = person.profiles.filter(
    ({ endsOn }, index) => index === 0 || endsOn !== person.profiles[index - 1]?.endsOn,
  );
  const chances = values.flatMap(({ endsOn, from }, index): Chance[] => {
    if (endsOn === null) return [];
    const instant = dateInstant(
      endsOn,
      { time, ...(offset !== undefined && { offset }) },
      person.timeZone ?? ZONE,
    );
    const known = Math.max(from, activatedAt);
    const at = Math.max(instant, known);
    if (at - instant > ms(maxAge) || at >= (values[index + 1]?.from ?? Infinity)) return [];
    return [{ at, time: instant, deed: null }];
  });
  return chances.filter(
    ({ time: instant }, index) => chances.findIndex((each) => each.time === instant) === index,
  );
}
