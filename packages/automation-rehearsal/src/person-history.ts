import { comparePlaces } from '@tidings/automations/places';
import type { EventPlace } from '@tidings/segments/person-events';
import type { PersonEvent } from '@tidings/segments/stored-people';

/** The events of a person that have been received so far. */
export type History = {
  add(event: PersonEvent): void;
  /** The first event of a named kind after a place in their order. */
  firstAfter(kind: number, after: EventPlace): PersonEvent | null;
};

/** @param kinds how many kinds of events are named */
export function createHistory(kinds: number, isCounted: (event: PersonEvent) => boolean): History {
  // In their order, by kind.
  const received = Array.from({ length: kinds }, (): PersonEvent[] => []);
  return {
    add(event) {
      if (!isCounted(event)) return;
      for (const [kind, own] of received.entries())
        if (event.isNamed[kind] === true) own.splice(placeIn(own, event), 0, event);
    },
    firstAfter: (kind, after) => {
      const own = received[kind] ?? [];
      return own[placeIn(own, after)] ?? null;
    },
  };
}

/** How many of them are not later than a place. */
function placeIn(events: readonly EventPlace[], at: EventPlace): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const event = events[middle];
    if (event !== undefined && comparePlaces(event, at) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
