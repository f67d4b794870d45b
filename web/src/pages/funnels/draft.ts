import type {
  FunnelBreakdown,
  FunnelDefinition,
  FunnelState,
  FunnelStep,
} from '@tidings/contracts/analytics/funnels';
import { FUNNEL_PARTS } from '@tidings/contracts/analytics/funnels';
import { LIMITS } from '@tidings/contracts/limits';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { Range } from '../../ui/calendar-range.ts';

/** What a new funnel begins with: two events to choose. */
export const NEW_FUNNEL: FunnelDefinition = {
  steps: [{ event: '' }, { event: '' }],
  window: '7d',
};

/** A funnel as it is asked: whom it is about, and when they began. */
export type FunnelQuestion = FunnelDefinition &
  Range & { readonly segment?: string; readonly breakdown?: FunnelBreakdown };

type Unknown = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Unknown => typeof value === 'object' && value !== null;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isStep = (value: unknown): value is FunnelStep =>
  isObject(value) &&
  (typeof value['event'] === 'string' ||
    (isObject(value['event']) && typeof value['event']['name'] === 'string')) &&
  (value['where'] === undefined || Array.isArray(value['where']));

/** The funnel of an address; `otherwise` where the address has none. */
export function readDraft(text: string, otherwise: FunnelDefinition): FunnelDefinition {
  const value = parse(text);
  if (!isObject(value) || typeof value['window'] !== 'string') return otherwise;
  const steps: unknown = value['steps'];
  if (!Array.isArray(steps) || !steps.every(isStep)) return otherwise;
  const { length } = steps;
  return length < LIMITS.funnelStepsMin || length > LIMITS.funnelStepsMax
    ? otherwise
    : { steps, window: value['window'] };
}

export const isSameFunnel = (one: FunnelDefinition, other: FunnelDefinition): boolean =>
  JSON.stringify([one.steps, one.window]) === JSON.stringify([other.steps, other.window]);

/** By what parts are told apart; undefined where the address has nothing. */
export function readBreakdown(text: string): FunnelBreakdown | undefined {
  const value = parse(text);
  return isObject(value) && Object.keys(value).length === 1
    ? (value as FunnelBreakdown)
    : undefined;
}

/** A number of the page: those who came to a step, or stopped there. */
export type FunnelPlace = {
  readonly state: FunnelState;
  /** From 1. */
  readonly step: number;
  /** The value of a group; absent: all of them. */
  readonly group?: unknown;
  /** One of its people. */
  readonly person?: string;
};

/** The number that an address opens; null without one. */
export function readPlace(text: string): FunnelPlace | null {
  const value = parse(text);
  if (!isObject(value)) return null;
  const { state, step } = value;
  return FUNNEL_PARTS.some((each) => each === state) && Number.isInteger(step)
    ? (value as FunnelPlace)
    : null;
}

/** The question whose people a number counts. */
export function peopleQuestion(question: FunnelQuestion, place: FunnelPlace): object {
  const { breakdown, ...asked } = question;
  const { state, step } = place;
  return {
    ...asked,
    state,
    ...(state !== 'converted' && { step }),
    ...('group' in place && { breakdown, group: place.group }),
  };
}

/** When people began, as conditions have it. */
export type Began = { readonly within: string } | Range;

/** The condition that has the people of a number, of a funnel that is saved; null where none has. */
export function peopleCondition(
  slug: string,
  { question, place, began }: PeopleOf & { readonly began: Began },
): Condition | null {
  const { segment, breakdown } = question;
  const { state, step } = place;
  const leaf = {
    funnel: slug,
    state,
    ...(state !== 'converted' && { step }),
    ...began,
  } as unknown as Condition;
  const parts: Condition[] = [leaf];
  if (segment !== undefined) parts.push({ segment });
  if ('group' in place) {
    const group = breakdown === undefined ? null : groupCondition(breakdown, place.group);
    if (group === null) return null;
    parts.push(group);
  }
  return parts.length === 1 ? leaf : { all: parts };
}

/**
 * The condition that writes to the people of a number: to these very people, however long writing takes.
 * Who goes on after `asOf` is none of them any more, also late, or from a new beginning.
 */
export function writingCondition(
  slug: string,
  { question, place, asOf }: PeopleOf & { readonly asOf: number },
): Condition | null {
  const { from, to, steps } = question;
  const people = peopleCondition(slug, { question, place, began: { from, to } });
  const next = place.state === 'dropped' || place.state === 'open' ? steps[place.step] : undefined;
  if (people === null || next === undefined) return people;
  const goesOn = { ...next, from: asOf } as unknown as Condition;
  return { all: [...('all' in people ? people.all : [people]), { not: goesOn }] };
}

type PeopleOf = { readonly question: FunnelQuestion; readonly place: FunnelPlace };

function groupCondition(breakdown: FunnelBreakdown, value: unknown): Condition | null {
  // Of an event, conditions know no value of the one that began a chain.
  if (!('field' in breakdown) && !('attribute' in breakdown)) return null;
  const named =
    'field' in breakdown ? { field: breakdown.field } : { attribute: breakdown.attribute };
  return (value === null ? { ...named, exists: false } : { ...named, is: value }) as Condition;
}
