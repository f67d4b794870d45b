import type { Memory } from './memory.ts';

/** Persons get numbers from 0 in the order in which they come. */
export type PersonIds = {
  /** The number of an id of 16 bytes at `offset`; -1 if it has none. */
  find(bytes: Buffer, offset: number): number;
  /** As `find`; an id without a number gets the next one. */
  add(bytes: Buffer, offset: number): number;
  /** Writes an id: of 16 bytes, at `offset`. */
  write(person: number, bytes: Buffer, offset: number): void;
  readonly size: number;
};

const WORDS = 4;
const WORD_BYTES = 4;
/** Ids in a page: growing copies none. */
const PAGE_BITS = 14;
const PAGE = 1 << PAGE_BITS;
const PAGE_MASK = PAGE - 1;
const FIRST_PLACE_BITS = 10;
/** A free place is negative. */
const FREE = -1;
const POSITIVE = 0x7fff_ffff;

/** Ids in pages, and a table of their numbers by hash. A `Map` of texts would take five times as much. */
export function createPersonIds(memory: Memory): PersonIds {
  const pages: Int32Array[] = [];
  let placeBits = FIRST_PLACE_BITS;
  /**
   * Numbers by the lower bits of the hash. The bits that a number leaves free have the upper ones: they
   * differ for most other ids, which are then not read. To read one costs more than all else.
   */
  let places = new Int32Array(2 ** placeBits).fill(FREE);
  let size = 0;
  memory.take(places.byteLength);

  /** The id that is looked for. */
  const key = new Int32Array(WORDS);
  function load(bytes: Buffer, offset: number): void {
    for (let index = 0; index < WORDS; index += 1)
      key[index] = bytes.readInt32BE(offset + index * WORD_BYTES);
  }

  /** Of the key: its own place in the table, or the free one where it would be. */
  let place = 0;
  /** What its place has beside the number. */
  let tag = 0;

  /** The number of the key; -1 if it has none. Finds its place. */
  function search(): number {
    const [a, b, c, d] = [key[0] as number, key[1] as number, key[2] as number, key[3] as number];
    // Every word: of ids that begin with a time, few bits differ in the first two.
    let hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35) ^ Math.imul(c, 0x27d4eb2f) ^ d;
    hash = Math.imul(hash ^ (hash >>> 13), 0x165667b1);
    hash ^= hash >>> 16;
    const mask = places.length - 1;
    tag = (hash & POSITIVE) >>> placeBits;
    for (place = hash & mask; ; place = (place + 1) & mask) {
      const used = places[place] as number;
      if (used === FREE) return -1;
      if (used >>> placeBits !== tag) continue;
      const person = used & mask;
      const page = pages[person >>> PAGE_BITS] as Int32Array;
      const at = (person & PAGE_MASK) * WORDS;
      if (page[at] === a && page[at + 1] === b && page[at + 2] === c && page[at + 3] === d)
        return person;
    }
  }

  function grow(): void {
    const larger = places.length * 2;
    memory.take(larger * Int32Array.BYTES_PER_ELEMENT);
    memory.give(places.byteLength);
    placeBits += 1;
    places = new Int32Array(larger).fill(FREE);
    for (let person = 0; person < size; person += 1) {
      const at = (person & PAGE_MASK) * WORDS;
      key.set((pages[person >>> PAGE_BITS] as Int32Array).subarray(at, at + WORDS));
      search();
      places[place] = (tag << placeBits) | person;
    }
  }

  return {
    find(bytes, offset) {
      load(bytes, offset);
      return search();
    },
    add(bytes, offset) {
      load(bytes, offset);
      const known = search();
      if (known >= 0) return known;
      const person = size;
      const at = (person & PAGE_MASK) * WORDS;
      if (at === 0) {
        memory.take(PAGE * WORDS * WORD_BYTES);
        pages.push(new Int32Array(PAGE * WORDS));
      }
      (pages[person >>> PAGE_BITS] as Int32Array).set(key, at);
      places[place] = (tag << placeBits) | person;
      size += 1;
      // Two thirds full.
      if (size * 3 > places.length * 2) grow();
      return person;
    },
    write(person, bytes, offset) {
      const page = pages[person >>> PAGE_BITS] as Int32Array;
      const at = (person & PAGE_MASK) * WORDS;
      for (let index = 0; index < WORDS; index += 1)
        bytes.writeInt32BE(page[at + index] as number, offset + index * WORD_BYTES);
    },
    get size() {
      return size;
    },
  };
}
