import { useMemo } from 'react';
import { useRead, type Page } from '../api/queries.ts';
import type { Definition } from '../api/types.ts';
import type { BuilderFacts } from '../conditions/builder-context.ts';
import { humanize } from '../lib/format.ts';
import { toNamedOptions } from '../ui/options.ts';
import { useFunnels } from '../pages/segments/use-funnels.ts';
import { useSegments } from '../pages/segments/use-segments.ts';
import { toSegmentFacts } from '../pages/segments/segment-facts.ts';

/** The most that one page of the API has. */
const ROWS_MAX = 500;

/** What questions about events may name, and what most of them are. */
export type EventFacts = BuilderFacts & {
  readonly kinds: ReadonlyMap<string, Definition['kind']>;
  /** The event of people that happens most, or else any; null while there is none. */
  readonly frequent: string | null;
};

type Read = { readonly facts: EventFacts | null; readonly error: Error | null; retry: () => void };

/**
 * The events, segments and funnels of the application; null until its events are read.
 * @param ofPeople leaves out events that have no person
 */
export function useEventFacts(ofPeople: boolean): Read {
  const { data, error, refetch } = useRead<Page<Definition>>('definitions', {
    query: { limit: ROWS_MAX },
  });
  const funnels = useFunnels();
  const segments = useSegments();
  const facts = useMemo(
    () =>
      data === undefined
        ? null
        : toFacts(
            {
              definitions: data.items,
              funnels: funnels?.items ?? [],
              segments: segments?.items ?? [],
            },
            ofPeople,
          ),
    [data, funnels, segments, ofPeople],
  );
  return { facts, error, retry: () => void refetch() };
}

function toFacts(
  read: Omit<Parameters<typeof toSegmentFacts>[0], 'definitions' | 'except'> & {
    readonly definitions: readonly Definition[];
  },
  ofPeople: boolean,
): EventFacts {
  const { definitions } = read;
  const asked = definitions.filter(
    ({ kind, mergedInto }) => mergedInto === undefined && !(ofPeople && kind === 'businessEvent'),
  );
  // Events of people first: those are what marketers ask about.
  const most = asked.toSorted(
    (one, other) =>
      Number(one.kind === 'businessEvent') - Number(other.kind === 'businessEvent') ||
      other.events - one.events,
  )[0];
  return {
    ...toSegmentFacts(read),
    events: toNamedOptions(asked, ({ kind }) => humanize(kind).toLowerCase()),
    kinds: new Map(definitions.map(({ slug, kind }) => [slug, kind])),
    frequent: most === undefined || most.events === 0 ? null : most.slug,
  };
}
