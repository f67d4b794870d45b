/** An event of a person: the steps that it matches, from 0. */
export type ChainEvent = {
  readonly time: number;
  readonly matches: readonly number[];
  /** A value of it, as the first of a chain. */
  readonly group?: string | null;
};

export type ChainQuestion = {
  readonly steps: number;
  readonly windowMs: number;
  readonly from: number;
  readonly to: number;
  readonly asOf: number;
};

export type ChainOutcome = {
  readonly reached: number;
  /** Of a person who reached some steps, not all. */
  readonly isOpen: boolean;
  /** For each step after the first that was reached: from the step before. */
  readonly stepMs: readonly number[];
  /** Of the first event of the chain by which the person first came so far. */
  readonly group: string | null;
};

type Chain = readonly ChainEvent[];

/**
 * Tries every chain of a person. The fold is compared with it, so it shares no code with it, and
 * takes the rules one by one.
 */
export function tryEveryChain(
  events: readonly ChainEvent[],
  { steps, windowMs, from, to, asOf }: ChainQuestion,
): ChainOutcome {
  const known = events.filter(({ time }) => time <= asOf);
  const chains: Chain[][] = [[[]]];
  for (let step = 0; step < steps; step += 1) {
    const longer = (chains[step] ?? []).flatMap((chain) =>
      known
        .filter((event) => event.matches.includes(step))
        .filter((event) => !chain.includes(event))
        .filter(({ time }) => chain.every((earlier) => earlier.time <= time))
        .map((event) => [...chain, event])
        .filter((next) => isAllowed(next)),
    );
    chains.push(longer);
  }
  const lengths = chains.map((of) => of.length > 0);
  const reached = lengths.lastIndexOf(true);
  return {
    reached,
    group: groupOfFirst(chains[reached] ?? []),
    isOpen:
      reached > 0 &&
      reached < steps &&
      (chains[reached] ?? []).some(
        ([first]) => first !== undefined && first.time + windowMs >= asOf,
      ),
    stepMs: Array.from({ length: Math.max(0, reached - 1) }, (_, index) =>
      timeOfStep(chains[index + 2] ?? []),
    ),
  };

  function isAllowed(chain: Chain): boolean {
    const [first] = chain;
    const last = chain.at(-1);
    if (first === undefined || last === undefined) return false;
    return first.time >= from && first.time < to && last.time - first.time <= windowMs;
  }
}

/** Of the chains of one length: of those that end first, that which began last, and so on. */
function timeOfStep(chains: readonly Chain[]): number {
  const endOf = (chain: Chain): number => chain.at(-1)?.time ?? Number.NaN;
  const beginOf = (chain: Chain): number => chain[0]?.time ?? Number.NaN;
  const beforeOf = (chain: Chain): number => chain.at(-2)?.time ?? Number.NaN;
  const end = Math.min(...chains.map(endOf));
  const ending = chains.filter((chain) => endOf(chain) === end);
  const begin = Math.max(...ending.map(beginOf));
  const beginning = ending.filter((chain) => beginOf(chain) === begin);
  return end - Math.max(...beginning.map(beforeOf));
}

/** Of the chains of one length: of those that end first, those that began last, the least value. */
function groupOfFirst(chains: readonly Chain[]): string | null {
  const end = Math.min(...chains.map((chain) => chain.at(-1)?.time ?? Number.NaN));
  const ending = chains.filter((chain) => chain.at(-1)?.time === end);
  const begin = Math.max(...ending.map((chain) => chain[0]?.time ?? Number.NaN));
  const values = ending
    .filter((chain) => chain[0]?.time === begin)
    .map((chain) => chain[0]?.group ?? null)
    .filter((value) => value !== null);
  return values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[0] ?? null;
}
