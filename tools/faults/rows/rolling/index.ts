import { everyServiceRestarted } from './every-service.ts';
import type { RollingRow } from './rolling-row.ts';

export const ROLLING_ROWS: readonly RollingRow[] = [everyServiceRestarted];
