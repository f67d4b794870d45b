import type { Memory } from '@tidings/folds/memory';

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
const WORD_BITS = 32;

type Page = { readonly cohorts: Int16Array; readonly cells: Uint32Array };

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
  const pages: Page[] = [];
  const words = Math.ceil(periods / WORD_BITS);
  let period = 0;

  const pageOf = (person: number): Page => {
    const index = person >>> PAGE_BITS;
    while (pages.length <= index) {
      memory.take(PAGE * (Int16Array.BYTES_PER_ELEMENT + words * Uint32Array.BYTES_PER_ELEMENT));
      pages.push({
        cohorts: new Int16Array(PAGE).fill(-1),
        cells: new Uint32Array(PAGE * words),
      });
    }
    return pages[index] as Page;
  };
  const cohortOf = (person: number): number => pageOf(person).cohorts[person & PAGE_MASK] as number;
  const wordOf = (person: number, cell: number): number =>
    (person & PAGE_MASK) * words + Math.floor(cell / WORD_BITS);

  return {
    apply(person, time, { isStart, isReturn }) {
      while (time >= (starts[period + 1] ?? Number.POSITIVE_INFINITY)) period += 1;
      const { cohorts, cells } = pageOf(person);
      const cohort = cohorts[person & PAGE_MASK] as number;
      if (cohort < 0) {
        // What happens at this instant is no return: it is not later.
        if (isStart) cohorts[person & PAGE_MASK] = period;
        return;
      }
      if (!isReturn) return;
      const cell = isUnbounded ? Math.min(period - cohort, periods - 1) : period - cohort;
      if (cell >= periods) return;
      const at = wordOf(person, cell);
      cells[at] = (cells[at] as number) | (1 << (cell % WORD_BITS));
    },
    leaveOut(person) {
      pageOf(person).cohorts[person & PAGE_MASK] = -1;
    },
    cohortOf,
    hasReturned(person, cell) {
      const { cells } = pageOf(person);
      const isMarked = (at: number): boolean =>
        ((cells[wordOf(person, at)] as number) & (1 << (at % WORD_BITS))) !== 0;
      if (!isUnbounded) return isMarked(cell);
      for (let at = cell; at < periods; at += 1) if (isMarked(at)) return true;
      return false;
    },
  };
}
