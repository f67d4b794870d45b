import type { RollingRow } from '../rolling/rolling-row.ts';
import { processFrozen } from './frozen.ts';
import { processKilled } from './killed.ts';

export const PROCESSES_ROWS: readonly RollingRow[] = [processKilled, processFrozen];
