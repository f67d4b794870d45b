import type { FunnelStep } from '@tidings/contracts/analytics/funnels';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { request } from '../../api/client.ts';
import { credentials } from '../../api/credentials.ts';
import { useRead, type Page } from '../../api/queries.ts';
import type { Definition } from '../../api/types.ts';
import { findRange, rangeUpToNow, type Range } from '../../ui/calendar-range.ts';
import { useStore } from '../../lib/store.ts';
import type { FunnelQuestion } from './draft.ts';
import type { ShownFunnel, ShownStep } from './use-funnel-answer.ts';

/** Two steps, and how many people probably did the second after the first. */
type Sequence = {
  readonly steps: readonly [FunnelStep, FunnelStep];
  readonly users: number;
};

/** The most frequent events; each pair of them is asked, in both orders. */
const EVENTS_ASKED = 3;
const SHOWN_MAX = 3;
const DAYS = findRange('30d', 'day');
const WINDOW = '7d';
const ROWS_MAX = 500;

type Ordered = Range & { readonly window: string; readonly segment?: string };

/** Each pair in both orders, one question after another: they wait in the queue of all. */
async function askOrders(
  pairs: readonly (readonly [FunnelStep, FunnelStep])[],
  { of, signal }: { readonly of: Ordered; readonly signal: AbortSignal },
): Promise<readonly (readonly [Sequence, Sequence])[]> {
  const ask = async (steps: Sequence['steps']): Promise<Sequence> => {
    const answer = await request<{ readonly steps: readonly ShownStep[] }>('funnels/preview', {
      method: 'POST',
      body: { ...of, steps },
      signal,
    });
    return { steps, users: answer.steps[1]?.users ?? 0 };
  };
  const asked: (readonly [Sequence, Sequence])[] = [];
  for (const [first, second] of pairs) {
    // oxlint-disable-next-line no-await-in-loop
    const forth = await ask([first, second]);
    // oxlint-disable-next-line no-await-in-loop
    asked.push([forth, await ask([second, first])]);
  }
  return asked;
}

function useOrders(pairs: readonly (readonly [FunnelStep, FunnelStep])[], of: Ordered | null) {
  const { applicationId } = useStore(credentials);
  return useQuery({
    queryKey: ['api', applicationId, 'sequences', pairs, of],
    queryFn: ({ signal }) => (of === null ? [] : askOrders(pairs, { of, signal })),
    enabled: of !== null && pairs.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    // What only helps is not asked again.
    retry: false,
  }).data;
}

/** What many people do one after the other, of the most frequent events. */
export function useFrequentSequences(): readonly Sequence[] {
  const { data } = useRead<Page<Definition>>('definitions', { query: { limit: ROWS_MAX } });
  const [range] = useState(() =>
    rangeUpToNow(DAYS, { now: Date.now(), timeZone: 'UTC', period: 'day' }),
  );
  const pairs = useMemo(() => {
    const frequent = (data?.items ?? [])
      .filter(
        ({ kind, mergedInto, discarded, events }) =>
          kind !== 'businessEvent' && mergedInto === undefined && !discarded && events > 0,
      )
      .toSorted((one, other) => other.events - one.events)
      .slice(0, EVENTS_ASKED)
      .map(({ slug }): FunnelStep => ({ event: slug }));
    return frequent.flatMap((first, index) =>
      frequent.slice(index + 1).map((second) => [first, second] as const),
    );
  }, [data]);
  const orders = useOrders(pairs, { ...range, window: WINDOW });
  return (orders ?? [])
    .map(([forth, back]) => (back.users > forth.users ? back : forth))
    .filter(({ users }) => users > 0)
    .toSorted((one, other) => other.users - one.users)
    .slice(0, SHOWN_MAX);
}

/** Where more go on than this, the order is not asked about. */
const SHARE_MAX = 0.5;

type Reversed = {
  /** From 0: of the step that usually comes after the next one. */
  readonly index: number;
  readonly inOrder: number;
  readonly reversed: number;
};

/** The step that fewest came through, if people usually do it before the one above it; else null. */
export function useReversedStep(shown: ShownFunnel | null): Reversed | null {
  const worst = useMemo(() => (shown?.result == null ? null : worstPair(shown)), [shown]);
  const orders = useOrders(worst?.pairs ?? [], worst?.of ?? null);
  const [order] = orders ?? [];
  if (worst === null || order === undefined) return null;
  const [forth, back] = order;
  return back.users > forth.users
    ? { index: worst.index, inOrder: forth.users, reversed: back.users }
    : null;
}

function worstPair({ question, steps }: ShownFunnel) {
  let worst: { readonly index: number; readonly share: number } | null = null;
  for (const [index, step] of steps.entries()) {
    const next = steps[index + 1];
    if (next === undefined || step.users === 0) continue;
    const share = next.users / step.users;
    if (share < SHARE_MAX && (worst === null || share < worst.share)) worst = { index, share };
  }
  const { index = 0 } = worst ?? {};
  const [first, second] = question.steps.slice(index, index + 2);
  if (worst === null || first === undefined || second === undefined) return null;
  const isSame = JSON.stringify(first) === JSON.stringify(second);
  return isSame ? null : { index, pairs: [[first, second] as const], of: orderedOf(question) };
}

const orderedOf = ({ window, from, to, segment }: FunnelQuestion): Ordered => ({
  window,
  from,
  to,
  ...(segment !== undefined && { segment }),
});
