import { useRead, type Page as Listed } from '../../api/queries.ts';
import type { Segment } from '../../api/types.ts';

/** The most that one page of the API has. */
const ROWS_MAX = 500;

/** The segments of the application, at most 500; undefined until they are read. */
export function useSegments(enabled = true): Listed<Segment> | undefined {
  return useRead<Listed<Segment>>('segments', { query: { limit: ROWS_MAX }, enabled }).data;
}
