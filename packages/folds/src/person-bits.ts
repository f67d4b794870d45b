import type { Memory } from './memory.ts';

/** Some bits of each person. Persons have numbers from 0. */
export type PersonBits = {
  set(person: number, bit: number): void;
  has(person: number, bit: number): boolean;
  /** Visits the bits of a person that are set, in their order. */
  visit(person: number, onBit: (bit: number) => void): void;
};

/** Persons in a page: growing copies none. */
const PAGE_BITS = 12;
const PAGE = 1 << PAGE_BITS;
const PAGE_MASK = PAGE - 1;
const WORD_BITS = 32;
const WORD_SHIFT = 5;

/** @param bits of a person */
export function createPersonBits(bits: number, memory: Memory): PersonBits {
  const pages: Uint32Array[] = [];
  const words = Math.ceil(bits / WORD_BITS);

  const pageOf = (person: number): Uint32Array => {
    const index = person >>> PAGE_BITS;
    while (pages.length <= index) {
      memory.take(PAGE * words * Uint32Array.BYTES_PER_ELEMENT);
      pages.push(new Uint32Array(PAGE * words));
    }
    return pages[index] as Uint32Array;
  };
  const startOf = (person: number): number => (person & PAGE_MASK) * words;

  return {
    set(person, bit) {
      const page = pageOf(person);
      const at = startOf(person) + (bit >>> WORD_SHIFT);
      page[at] = (page[at] as number) | (1 << bit);
    },
    has: (person, bit) =>
      ((pageOf(person)[startOf(person) + (bit >>> WORD_SHIFT)] as number) & (1 << bit)) !== 0,
    visit(person, onBit) {
      const page = pageOf(person);
      const start = startOf(person);
      for (let word = 0; word < words; word += 1)
        for (let rest = page[start + word] as number; rest !== 0; rest &= rest - 1)
          onBit(word * WORD_BITS + (WORD_BITS - 1 - Math.clz32(rest & -rest)));
    },
  };
}
