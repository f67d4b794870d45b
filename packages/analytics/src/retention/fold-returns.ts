import type { Memory } from '@tidings/folds/memory';
import { createPersonBits } from '@tidings/folds/person-bits';

/** In which periods after their first start persons came back. Persons have numbers from 0. */
export type ReturnsFold = {
  /** The events of one person at one instant; instants come in their order. */
  apply(person: number, time: number, of: { isStart: boolean; isReturn: boolean }): void;
  /** Of whom another start is known that is earlier than all: they are in no cohort. */
  leaveOut(person: number): void;
  /** The period of the first start, from 0; -1 for none. */
  cohortOf(person: number): number;
  hasReturned(person: number, cell: number): boolean;
};

/** Persons in a page: growing copies none. */
const PAGE_BITS = 12;
const PAGE = 1 << PAGE_BITS;
const PAGE_MASK = PAGE - 1;

/**
 * Keeps the cohort of each person and a bit for each cell, and nothing of an event.
 * @param starts where periods begin, in their order; the first contains the first event
 * @param isUnbounded whether a return counts in all cells up to its own, and later ones in the last
 */
export function createReturnsFold(
  {
    starts,
    periods,
    isUnbounded,
  }: {
    readonly starts: readonly number[];
    readonly periods: number;
    readonly isUnbounded: boolean;
  },
  memory: Memory,
): ReturnsFold {
  const pages: Int16Array[] = [];
  const returned = createPersonBits(periods, memory);
  let period = 0;

  const cohortsOf = (person: number): Int16Array => {
    const index = person >>> PAGE_BITS;
    while (pages.length <= index) {
      memory.take(PAGE * Int16Array.BYTES_PER_ELEMENT);
      pages.push(new Int16Array(PAGE).fill(-1));
    }
    return pages[index] as Int16Array;
  };

  return {
    apply(person, time, { isStart, isReturn }) {
      while (time >= (starts[period + 1] ?? Number.POSITIVE_INFINITY)) period += 1;
      const cohorts = cohortsOf(person);
      const cohort = cohorts[person & PAGE_MASK] as number;
      if (cohort < 0) {
        // What happens at this instant is no return: it is not later.
        if (isStart) cohorts[person & PAGE_MASK] = period;
        return;
      }
      if (!isReturn) return;
      const cell = isUnbounded ? Math.min(period - cohort, periods - 1) : period - cohort;
      if (cell < periods) returned.set(person, cell);
    },
    leaveOut(person) {
      cohortsOf(person)[person & PAGE_MASK] = -1;
    },
    cohortOf: (person) => cohortsOf(person)[person & PAGE_MASK] as number,
    hasReturned(person, cell) {
      if (!isUnbounded) return returned.has(person, cell);
      for (let at = cell; at < periods; at += 1) if (returned.has(person, at)) return true;
      return false;
    },
  };
}
