import { quantile } from '../delivery/time-to-send.ts';

/** A part of a run of one row; times are from `performance.now()`. */
export type Slice = {
  readonly isBeside: boolean;
  readonly from: number;
  readonly to: number;
};

/** How long an ordinary application waited; Infinity: for ever. */
export type Waited = {
  readonly sentAt: number;
  readonly ms: number;
  /** For so long the processes that took part had no CPU, as far as is known. */
  readonly cpuWaitMs?: number;
};

/** What an ordinary application notices. */
export type Waits = {
  /** From a batch or a push to its 200. */
  readonly acceptance: readonly Waited[];
  /** From a push to the first message at the provider. */
  readonly listSent: readonly Waited[];
  readonly segmentSent: readonly Waited[];
  readonly reads: readonly Waited[];
};

/** Milliseconds alone and beside the attack; Infinity: never, undefined: nothing was measured. */
export type Pair = { readonly alone: number | undefined; readonly beside: number | undefined };

/** Also without the time for which processes had no CPU. */
export type Compared = Pair & { readonly net: Pair };

/** `ratio` times as long as alone; `ms` is enough, however long it takes alone. */
export type Bound = { readonly ratio?: number; readonly ms?: number };

export type Figure = {
  readonly name: string;
  readonly waits: keyof Waits;
  readonly part: number;
  /** Null: it is only shown. */
  readonly bound: Bound | null;
};

/** Of two runs of a load that hardly uses the machine one is up to half slower than the other. */
const AT_MOST = 1.5;
const ACCEPTED_WITHIN_MS = 500;
const SENT_WITHIN_MS = 2_000;
/** One wait of many may be that of a busy machine. */
const SLOW = 0.9;

/** All services in one process share its thread, so there the bound of the slowest is a time. */
export function figuresOf(isOneProcess: boolean): readonly Figure[] {
  const sent = { part: SLOW, bound: { ratio: AT_MOST, ms: SENT_WITHIN_MS } };
  return [
    { name: 'acceptance p50', waits: 'acceptance', part: 0.5, bound: { ratio: AT_MOST } },
    {
      name: 'acceptance p99',
      waits: 'acceptance',
      part: 0.99,
      bound: isOneProcess ? { ms: ACCEPTED_WITHIN_MS } : { ratio: AT_MOST },
    },
    { name: 'push to a list sent, p90', waits: 'listSent', ...sent },
    { name: 'push to a segment sent, p90', waits: 'segmentSent', ...sent },
    { name: 'read of the API p50', waits: 'reads', part: 0.5, bound: null },
  ];
}

export function comparePhases(
  { waits, part }: Pick<Figure, 'waits' | 'part'>,
  all: Waits,
  slices: readonly Slice[],
): Compared {
  const of = (isBeside: boolean, msOf: (waited: Waited) => number): number | undefined => {
    const chosen = slices.filter((slice) => slice.isBeside === isBeside);
    const ms = all[waits]
      .filter(({ sentAt }) => chosen.some(({ from, to }) => sentAt >= from && sentAt < to))
      .map(msOf);
    return ms.length === 0 ? undefined : quantile(ms, part);
  };
  const pairOf = (msOf: (waited: Waited) => number): Pair => ({
    alone: of(false, msOf),
    beside: of(true, msOf),
  });
  return {
    ...pairOf(({ ms }) => ms),
    net: pairOf(({ ms, cpuWaitMs = 0 }) => Math.max(0, ms - cpuWaitMs)),
  };
}

/** `busy`: only without the time for which processes had no CPU. */
export function judge(compared: Compared, bound: Bound | null): 'ok' | 'busy' | 'failed' {
  if (isWithin(compared, bound)) return 'ok';
  return isWithin(compared.net, bound) ? 'busy' : 'failed';
}

export function isWithin({ alone, beside }: Pair, bound: Bound | null): boolean {
  if (bound === null) return true;
  if (alone === undefined || beside === undefined) return false;
  const { ratio = 0, ms = 0 } = bound;
  return beside <= Math.max(ms, ratio * alone);
}
