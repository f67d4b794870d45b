import { eventsOfSteps } from './events-of-steps.ts';
import { NO_GROUP, type Groups } from './groups.ts';
import type { Memory } from './memory.ts';

/** How far each person of a funnel came. Persons have numbers from 0. */
export type Fold = {
  /**
   * The events of one person at one instant; instants of a person come in their order.
   * @param steps of each event the steps that it matches: bit 0 is the first one
   */
  apply(person: number, time: number, steps: readonly number[]): void;
  /** As `apply`, with groups. */
  applyEvents(person: number, time: number, events: InstantEvents): void;
  /** The length of the longest chain; 0 for none. */
  reached(person: number): number;
  /** When the latest chain of `level` steps began, of those shorter than the funnel. */
  startOf(person: number, level: number): number;
  /** From step `level` - 1 to `level`, in the chain by which the person first reached it. */
  stepMs(person: number, level: number): number;
  /**
   * The group of the first event of the chain by which the person first came so far. Of several that
   * began at one instant, the least value.
   */
  groupOf(person: number): number;
};

/** The events of a person at one instant: the steps that each matches, and its group as the first. */
export type InstantEvents = {
  readonly steps: readonly number[];
  /** Of a fold with groups. */
  readonly groups?: readonly number[];
};

/** Persons in a page: growing copies none. */
const PAGE_BITS = 12;
const PAGE = 1 << PAGE_BITS;
const PAGE_MASK = PAGE - 1;

type Page = {
  readonly values: Float64Array;
  readonly reached: Uint8Array;
  /** Of the latest chain of each length, and of the person. */
  readonly groups: Int32Array | null;
};

/**
 * Folds events in the order of time to the longest chain of each person: a different event for each
 * step, the last at most `windowMs` after the first. Of the chains of a length the one that began
 * last is kept: it may become all that another one may become.
 */
export function createFold(
  {
    steps,
    windowMs,
    groups: order = null,
  }: {
    readonly steps: number;
    readonly windowMs: number;
    /** Also the groups of first events. */
    readonly groups?: Pick<Groups, 'isLess'> | null;
  },
  memory: Memory,
): Fold {
  const pages: Page[] = [];
  // The first level has its time, the last one how long its step took, the others three values.
  const stride = 2 + 3 * (steps - 2);
  /** Of level 2 and above: when the chain began, when its last step was, how long that took. */
  const base = (level: number): number => 1 + 3 * (level - 2);
  const startAt = (level: number): number => (level === 1 ? 0 : base(level));
  const lastAt = (level: number): number => (level === 1 ? 0 : base(level) + 1);
  const tookAt = (level: number): number => (level === steps ? base(level) : base(level) + 2);

  const pageOf = (person: number): Page => {
    const index = person >>> PAGE_BITS;
    while (pages.length <= index) {
      const groupBytes = order === null ? 0 : steps * Int32Array.BYTES_PER_ELEMENT;
      memory.take(PAGE * (stride * Float64Array.BYTES_PER_ELEMENT + 1 + groupBytes));
      pages.push({
        values: new Float64Array(PAGE * stride),
        reached: new Uint8Array(PAGE),
        groups: order === null ? null : new Int32Array(PAGE * steps).fill(NO_GROUP),
      });
    }
    return pages[index] as Page;
  };

  /** One event alone: from the last step on, so that it serves one. */
  function applyOne(person: number, time: number, { mask, group }: OneEvent): void {
    const { values, reached, groups } = pageOf(person);
    const slot = person & PAGE_MASK;
    const at = slot * stride;
    const groupAt = slot * steps;
    const before = reached[slot] as number;
    for (let level = Math.min(before + 1, steps); level >= 1; level -= 1) {
      if ((mask & (1 << (level - 1))) === 0) continue;
      if (level === 1) {
        values[at] = time;
        if (groups !== null) groups[groupAt] = group;
        if (before === 0) {
          reached[slot] = 1;
          if (groups !== null) groups[groupAt + steps - 1] = group;
        }
        continue;
      }
      const start = values[at + startAt(level - 1)] as number;
      if (time - start > windowMs) continue;
      const isFirst = level > before;
      const of = groups === null ? NO_GROUP : (groups[groupAt + level - 2] as number);
      if (isFirst) {
        reached[slot] = level;
        values[at + tookAt(level)] = time - (values[at + lastAt(level - 1)] as number);
        if (groups !== null) groups[groupAt + steps - 1] = of;
      }
      if (level < steps && (isFirst || start >= (values[at + startAt(level)] as number))) {
        values[at + startAt(level)] = start;
        values[at + lastAt(level)] = time;
        if (groups !== null) groups[groupAt + level - 1] = of;
      }
    }
  }

  /** Several events at one instant: each continues what was there before them, in the order of steps. */
  function applySeveral(person: number, time: number, all: InstantEvents): void {
    const { values, reached, groups } = pageOf(person);
    const slot = person & PAGE_MASK;
    const at = slot * stride;
    const before = reached[slot] as number;
    const groupAt = slot * steps;
    const { steps: events, groups: own = [] } = atMostEach(all, { count: steps, order });
    const firstGroups = order === null ? [] : groupsOfFirst(events, own, { steps, order });
    const groupFrom = (level: number, next: number): number => {
      if (groups === null) return NO_GROUP;
      return (level === 0 ? firstGroups[next] : groups[groupAt + level - 1]) as number;
    };
    const best: (Found | undefined)[] = [];
    for (let level = Math.min(before, steps - 1); level >= 0; level -= 1) {
      const start = level === 0 ? time : (values[at + startAt(level)] as number);
      if (time - start > windowMs) continue;
      const last = level === 0 ? time : (values[at + lastAt(level)] as number);
      const end = level + eventsOfSteps(events, level, steps).length;
      for (let next = level + 1; next <= end; next += 1) {
        const found = best[next];
        const previous = next === level + 1 ? last : time;
        const group = groupFrom(level, next);
        if (found === undefined || start > found.start) best[next] = { start, previous, group };
        else if (start === found.start)
          best[next] = {
            start,
            previous: Math.max(previous, found.previous),
            group: order?.isLess(group, found.group) === true ? group : found.group,
          };
      }
    }
    for (let level = 1; level <= steps; level += 1) {
      const found = best[level];
      if (found === undefined) continue;
      const isFirst = level > before;
      if (isFirst) {
        reached[slot] = level;
        if (level > 1) values[at + tookAt(level)] = time - found.previous;
        if (groups !== null) groups[groupAt + steps - 1] = found.group;
      }
      if (level < steps && (isFirst || found.start >= (values[at + startAt(level)] as number))) {
        values[at + startAt(level)] = found.start;
        values[at + lastAt(level)] = time;
        if (groups !== null) groups[groupAt + level - 1] = found.group;
      }
    }
  }

  function applyEvents(person: number, time: number, events: InstantEvents): void {
    const { steps: masks, groups: own } = events;
    if (masks.length === 1)
      applyOne(person, time, { mask: masks[0] as number, group: own?.[0] ?? NO_GROUP });
    else applySeveral(person, time, events);
  }

  return {
    apply: (person, time, masks) => applyEvents(person, time, { steps: masks }),
    applyEvents,
    reached: (person) => pageOf(person).reached[person & PAGE_MASK] as number,
    startOf: (person, level) =>
      pageOf(person).values[(person & PAGE_MASK) * stride + startAt(level)] as number,
    stepMs: (person, level) =>
      pageOf(person).values[(person & PAGE_MASK) * stride + tookAt(level)] as number,
    groupOf: (person) =>
      pageOf(person).groups?.[(person & PAGE_MASK) * steps + steps - 1] ?? NO_GROUP,
  };
}

type OneEvent = { readonly mask: number; readonly group: number };
type Found = { readonly start: number; readonly previous: number; readonly group: number };

/** Events beyond one for each step change nothing. With groups, those of the least values stay. */
function atMostEach(
  { steps, groups }: InstantEvents,
  { count, order }: { readonly count: number; readonly order: Pick<Groups, 'isLess'> | null },
): InstantEvents {
  if (steps.length <= count) return groups === undefined ? { steps } : { steps, groups };
  const counts = new Map<number, number>();
  const places = [...steps.keys()];
  if (order !== null && groups !== undefined)
    places.sort((a, b) => compareGroups(order, groups[a] as number, groups[b] as number));
  const kept = places.filter((place) => {
    const mask = steps[place] as number;
    const before = counts.get(mask) ?? 0;
    counts.set(mask, before + 1);
    return before < count;
  });
  return {
    steps: kept.map((place) => steps[place] as number),
    ...(groups !== undefined && { groups: kept.map((place) => groups[place] as number) }),
  };
}

function compareGroups(order: Pick<Groups, 'isLess'>, a: number, b: number): number {
  if (order.isLess(a, b)) return -1;
  return order.isLess(b, a) ? 1 : 0;
}

/** By length, the least group of a first event with which a chain of one instant gets so long. */
function groupsOfFirst(
  masks: readonly number[],
  groups: readonly number[],
  { steps, order }: { readonly steps: number; readonly order: Pick<Groups, 'isLess'> },
): number[] {
  const least: number[] = [];
  for (const [place, mask] of masks.entries()) {
    if ((mask & 1) === 0) continue;
    const group = groups[place] as number;
    const others = masks.toSpliced(place, 1);
    const end = 1 + eventsOfSteps(others, 1, steps).length;
    for (let level = 1; level <= end; level += 1) {
      const other = least[level];
      if (other === undefined || order.isLess(group, other)) least[level] = group;
    }
  }
  return least;
}
