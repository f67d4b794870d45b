import { eventsOfSteps } from './events-of-steps.ts';
import type { Memory } from './memory.ts';

/** How far each person of a funnel came. Persons have numbers from 0. */
export type Fold = {
  /**
   * The events of one person at one instant; instants of a person come in their order.
   * @param steps of each event the steps that it matches: bit 0 is the first one
   */
  apply(person: number, time: number, steps: readonly number[]): void;
  /** The length of the longest chain; 0 for none. */
  reached(person: number): number;
  /** When the latest chain of `level` steps began, of those shorter than the funnel. */
  startOf(person: number, level: number): number;
  /** From step `level` - 1 to `level`, in the chain by which the person first reached it. */
  stepMs(person: number, level: number): number;
};

/** Persons in a page: growing copies none. */
const PAGE_BITS = 12;
const PAGE = 1 << PAGE_BITS;
const PAGE_MASK = PAGE - 1;

type Page = { readonly values: Float64Array; readonly reached: Uint8Array };

/**
 * Folds events in the order of time to the longest chain of each person: a different event for each
 * step, the last at most `windowMs` after the first. Of the chains of a length the one that began
 * last is kept: it may become all that another one may become.
 */
export function createFold(
  { steps, windowMs }: { readonly steps: number; readonly windowMs: number },
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
      memory.take(PAGE * (stride * Float64Array.BYTES_PER_ELEMENT + 1));
      pages.push({ values: new Float64Array(PAGE * stride), reached: new Uint8Array(PAGE) });
    }
    return pages[index] as Page;
  };

  /** One event alone: from the last step on, so that it serves one. */
  function applyOne(person: number, time: number, mask: number): void {
    const { values, reached } = pageOf(person);
    const slot = person & PAGE_MASK;
    const at = slot * stride;
    const before = reached[slot] as number;
    for (let level = Math.min(before + 1, steps); level >= 1; level -= 1) {
      if ((mask & (1 << (level - 1))) === 0) continue;
      if (level === 1) {
        values[at] = time;
        if (before === 0) reached[slot] = 1;
        continue;
      }
      const start = values[at + startAt(level - 1)] as number;
      if (time - start > windowMs) continue;
      const isFirst = level > before;
      if (isFirst) {
        reached[slot] = level;
        values[at + tookAt(level)] = time - (values[at + lastAt(level - 1)] as number);
      }
      if (level < steps && (isFirst || start >= (values[at + startAt(level)] as number))) {
        values[at + startAt(level)] = start;
        values[at + lastAt(level)] = time;
      }
    }
  }

  /** Several events at one instant: each continues what was there before them, in the order of steps. */
  function applySeveral(person: number, time: number, masks: readonly number[]): void {
    const { values, reached } = pageOf(person);
    const slot = person & PAGE_MASK;
    const at = slot * stride;
    const before = reached[slot] as number;
    const events = atMostEach(masks, steps);
    const best: ({ readonly start: number; readonly previous: number } | undefined)[] = [];
    for (let level = Math.min(before, steps - 1); level >= 0; level -= 1) {
      const start = level === 0 ? time : (values[at + startAt(level)] as number);
      if (time - start > windowMs) continue;
      const last = level === 0 ? time : (values[at + lastAt(level)] as number);
      const end = level + eventsOfSteps(events, level, steps).length;
      for (let next = level + 1; next <= end; next += 1) {
        const found = best[next];
        const previous = next === level + 1 ? last : time;
        if (
          found === undefined ||
          start > found.start ||
          (start === found.start && previous > found.previous)
        )
          best[next] = { start, previous };
      }
    }
    for (let level = 1; level <= steps; level += 1) {
      const found = best[level];
      if (found === undefined) continue;
      const isFirst = level > before;
      if (isFirst) {
        reached[slot] = level;
        if (level > 1) values[at + tookAt(level)] = time - found.previous;
      }
      if (level < steps && (isFirst || found.start >= (values[at + startAt(level)] as number))) {
        values[at + startAt(level)] = found.start;
        values[at + lastAt(level)] = time;
      }
    }
  }

  return {
    apply(person, time, masks) {
      if (masks.length === 1) applyOne(person, time, masks[0] as number);
      else applySeveral(person, time, masks);
    },
    reached: (person) => pageOf(person).reached[person & PAGE_MASK] as number,
    startOf: (person, level) =>
      pageOf(person).values[(person & PAGE_MASK) * stride + startAt(level)] as number,
    stepMs: (person, level) =>
      pageOf(person).values[(person & PAGE_MASK) * stride + tookAt(level)] as number,
  };
}

/** Events beyond one for each step change nothing. */
function atMostEach(masks: readonly number[], count: number): readonly number[] {
  if (masks.length <= count) return masks;
  const counts = new Map<number, number>();
  return masks.filter((mask) => {
    const before = counts.get(mask) ?? 0;
    counts.set(mask, before + 1);
    return before < count;
  });
}
