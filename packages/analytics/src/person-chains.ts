import { eventsOfSteps } from '@tidings/folds/events-of-steps';

/** An event of a person, and which steps it matches: bit 0 is the first one. */
export type ChainEvent<E> = {
  readonly event: E;
  readonly matches: number;
  /** Steps that name it, and whose `where` refuses it. */
  readonly refused: number;
};

/** The last event of a chain, and the chain before it. */
export type Chain<E> = {
  readonly event: E;
  readonly time: number;
  /** When the chain began. */
  readonly start: number;
  readonly before: Chain<E> | null;
};

/** What the chains of one person came to. */
export type PersonChains<E> = {
  /** The events of one instant; instants come in their order. */
  apply(time: number, events: readonly ChainEvent<E>[]): void;
  /** The length of the longest chain; 0 for none. */
  reached(): number;
  /** The chain by which the person first came so far. */
  first(level: number): Chain<E> | null;
  /** When the latest chain of this length began. */
  startOf(level: number): number;
  /** The first events with which a chain would have come to `level`, but for `where`. */
  refused(level: number): readonly { readonly event: E; readonly time: number }[];
};

/** As `createFold`, of one person, with the events of the chains. Memory does not grow with events. */
export function createPersonChains<E>({
  steps,
  windowMs,
  refusedMax,
}: {
  readonly steps: number;
  readonly windowMs: number;
  readonly refusedMax: number;
}): PersonChains<E> {
  /** By length: the chain that began last, and that by which the person first came so far. */
  const latest: (Chain<E> | null)[] = Array.from({ length: steps + 1 }, () => null);
  const first: (Chain<E> | null)[] = Array.from({ length: steps + 1 }, () => null);
  const refused: { event: E; time: number }[][] = Array.from({ length: steps + 1 }, () => []);
  let reached = 0;

  /** The lengths from which a chain may go on at an instant. */
  const openLevels = (time: number): number[] =>
    Array.from({ length: steps }, (_, level) => level).filter((level) => {
      if (level === 0) return true;
      const chain = latest[level] ?? null;
      return chain !== null && time - chain.start <= windowMs;
    });

  function lengthen(time: number, events: readonly ChainEvent<E>[]): void {
    const masks = events.map(({ matches }) => matches);
    const found: (Chain<E> | undefined)[] = [];
    for (const level of openLevels(time)) {
      let chain = latest[level] ?? null;
      for (const [index, place] of eventsOfSteps(masks, level, steps).entries()) {
        const next = level + index + 1;
        const start: number = chain?.start ?? time;
        chain = { event: (events[place] as ChainEvent<E>).event, time, start, before: chain };
        const other = found[next];
        if (other === undefined || isLater(chain, other)) found[next] = chain;
      }
    }
    for (const [level, chain] of found.entries()) {
      if (chain === undefined) continue;
      const isFirst = level > reached;
      if (isFirst) [reached, first[level]] = [level, chain];
      if (isFirst || chain.start >= (latest[level] as Chain<E>).start) latest[level] = chain;
    }
  }

  /** Whether a chain would come to a length at an instant. */
  const comesTo = (level: number, masks: readonly number[], time: number): boolean =>
    openLevels(time).some(
      (before) => before < level && before + eventsOfSteps(masks, before, level).length === level,
    );

  function keepRefused(time: number, events: readonly ChainEvent<E>[]): void {
    for (const [place, { event, refused: bits }] of events.entries())
      for (let level = 1; level <= steps; level += 1) {
        const of = refused[level] as { event: E; time: number }[];
        if ((bits & (1 << (level - 1))) === 0 || of.length >= refusedMax) continue;
        const masks = events.map(({ matches }, index) =>
          index === place ? matches | (1 << (level - 1)) : matches,
        );
        if (comesTo(level, masks, time)) of.push({ event, time });
      }
  }

  return {
    apply(time, events) {
      // From what was there before the instant, as the chains themselves.
      keepRefused(time, events);
      lengthen(time, events);
    },
    reached: () => reached,
    first: (level) => first[level] ?? null,
    startOf: (level) => latest[level]?.start ?? Number.NaN,
    refused: (level) => refused[level] ?? [],
  };
}

/** Of two chains of a length that end at one instant: that which began last, then whose last step but one is. */
function isLater<E>(chain: Chain<E>, other: Chain<E>): boolean {
  const previous = ({ before, time }: Chain<E>): number => before?.time ?? time;
  return (
    chain.start > other.start || (chain.start === other.start && previous(chain) > previous(other))
  );
}
