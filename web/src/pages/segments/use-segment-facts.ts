import { useMemo } from 'react';
import { useRead, type Page as Listed } from '../../api/queries.ts';
import type { Definition } from '../../api/types.ts';
import { toSegmentFacts, type SegmentFacts } from './segment-facts.ts';
import { useFunnels } from './use-funnels.ts';
import { useSegments } from './use-segments.ts';

/** The most that one page of the API has. */
const ROWS_MAX = 500;

/** Names of what conditions may use: event definitions, funnels and segments, except the one that is edited. */
export function useSegmentFacts(except?: string): SegmentFacts {
  const definitions = useRead<Listed<Definition>>('definitions', { query: { limit: ROWS_MAX } });
  const funnels = useFunnels();
  const segments = useSegments();
  return useMemo(
    () =>
      toSegmentFacts({
        definitions: definitions.data?.items ?? [],
        funnels: funnels?.items ?? [],
        segments: segments?.items ?? [],
        except,
      }),
    [definitions.data, funnels, segments, except],
  );
}
