import { useRead, type Page as Listed } from '../../api/queries.ts';
import type { Funnel } from '../../api/types.ts';

/** More than an application may have. */
const ROWS_MAX = 500;

/** The funnels of the application; undefined until they are read. */
export function useFunnels(): Listed<Funnel> | undefined {
  return useRead<Listed<Funnel>>('funnels', { query: { limit: ROWS_MAX } }).data;
}
