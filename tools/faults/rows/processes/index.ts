import type { RollingRow } from '../rolling/rolling-row.ts';
import { processFrozen, processFrozenForLong } from './frozen.ts';
import { processKilled } from './killed.ts';

export const PROCESSES_ROWS: readonly RollingRow[] = [
  processKilled,
  processFrozen,
  processFrozenForLong,
];
