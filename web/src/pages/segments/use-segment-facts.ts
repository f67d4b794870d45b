import { useMemo } from 'react';
import { useRead, type Page as Listed } from '../../api/queries.ts';
import type { Definition, Segment } from '../../api/types.ts';
import { toSegmentFacts, type SegmentFacts } from './segment-facts.ts';

/** The most that one page of the API has. */
const ROWS_MAX = 500;

/** Names of what conditions may use: event definitions and segments, except the one that is edited. */
export function useSegmentFacts(except?: string): SegmentFacts {
  const query = { limit: ROWS_MAX };
  const definitions = useRead<Listed<Definition>>('definitions', { query });
  const segments = useRead<Listed<Segment>>('segments', { query });
  return useMemo(
    () =>
      toSegmentFacts({
        definitions: definitions.data?.items ?? [],
        segments: segments.data?.items ?? [],
        except,
      }),
    [definitions.data, segments.data, except],
  );
}
