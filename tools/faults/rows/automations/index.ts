import type { AutomationsRow } from './automations-row.ts';
import { consumersKilled, enginesKilled } from './kills.ts';
import { naiveEngineKilled } from './naive.ts';

/** Rows of automations, in table order. */
export const AUTOMATIONS_ROWS: readonly AutomationsRow[] = [
  enginesKilled,
  naiveEngineKilled,
  consumersKilled,
];
