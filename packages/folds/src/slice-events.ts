import type { InstantEvents } from './fold.ts';
import { inPieces } from './in-pieces.ts';

/** The events of a slice, in any order, and then by instant and person. */
export type SliceEvents = {
  add(time: number, person: number, steps: number): void;
  /** With groups: that of the event that was added last. */
  setGroup(group: number): void;
  /** Each person at each instant, in the order of time, in pieces. */
  visit(visit: VisitInstant): Promise<void>;
};

export type VisitInstant = (person: number, time: number, events: InstantEvents) => void;

const FIRST_SIZE = 4_096;

/** @param begin no event is earlier; @param spanMs and none later than this after it */
export function createSliceEvents(begin: number, spanMs: number, hasGroups = false): SliceEvents {
  let times = new Float64Array(FIRST_SIZE);
  let persons = new Int32Array(FIRST_SIZE);
  let masks = new Uint16Array(FIRST_SIZE);
  let groups = new Int32Array(hasGroups ? FIRST_SIZE : 0);
  let size = 0;
  /** Nearly all instants have one event of a person: without groups, those of equal steps are one object. */
  const alone: InstantEvents[] = [];

  function grow(): void {
    const grown = <T extends Float64Array | Int32Array | Uint16Array>(of: T, larger: T): T => {
      larger.set(of);
      return larger;
    };
    times = grown(times, new Float64Array(size * 2));
    persons = grown(persons, new Int32Array(size * 2));
    masks = grown(masks, new Uint16Array(size * 2));
    if (hasGroups) groups = grown(groups, new Int32Array(size * 2));
  }

  /** Places by time: numbers of an array are sorted without a comparison in JavaScript. */
  function byTime(): Float64Array {
    const places = 2 ** Math.ceil(Math.log2(Math.max(size, 2)));
    if ((spanMs + 1) * places > Number.MAX_SAFE_INTEGER)
      throw new Error('a slice has too many events for its time');
    const keys = new Float64Array(size);
    for (let index = 0; index < size; index += 1)
      keys[index] = ((times[index] as number) - begin) * places + index;
    keys.sort();
    for (let index = 0; index < size; index += 1) keys[index] = (keys[index] as number) % places;
    return keys;
  }

  return {
    add(time, person, steps) {
      if (size === times.length) grow();
      times[size] = time;
      persons[size] = person;
      masks[size] = steps;
      size += 1;
    },
    setGroup(group) {
      groups[size - 1] = group;
    },
    async visit(visit) {
      const order = byTime();
      let start = 0;
      // An instant belongs to the piece in which it begins.
      await inPieces(size, (_, to) => {
        start = visitInstants(order, { start, to }, visit);
      });
    },
  };

  /** @returns where the next instant begins */
  function visitInstants(
    order: Float64Array,
    { start: first, to }: { readonly start: number; readonly to: number },
    visit: VisitInstant,
  ): number {
    let start = first;
    while (start < to) {
      const time = times[order[start] as number] as number;
      let end = start + 1;
      while (end < size && times[order[end] as number] === time) end += 1;
      if (end === start + 1) visitOne(order[start] as number, time, visit);
      else visitInstant(order.subarray(start, end), time, visit);
      start = end;
    }
    return start;
  }

  function visitOne(place: number, time: number, visit: VisitInstant): void {
    const mask = masks[place] as number;
    visit(
      persons[place] as number,
      time,
      hasGroups
        ? { steps: [mask], groups: [groups[place] as number] }
        : (alone[mask] ??= { steps: [mask] }),
    );
  }

  function visitInstant(order: Float64Array, time: number, visit: VisitInstant): void {
    order.sort((a, b) => (persons[a] as number) - (persons[b] as number));
    for (let start = 0; start < order.length;) {
      const person = persons[order[start] as number] as number;
      let end = start + 1;
      while (end < order.length && persons[order[end] as number] === person) end += 1;
      if (end === start + 1) visitOne(order[start] as number, time, visit);
      else visit(person, time, eventsAt(order.subarray(start, end)));
      start = end;
    }
  }

  function eventsAt(places: Float64Array): InstantEvents {
    const steps = Array.from(places, (place) => masks[place] as number);
    return hasGroups
      ? { steps, groups: Array.from(places, (place) => groups[place] as number) }
      : { steps };
  }
}
