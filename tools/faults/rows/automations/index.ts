import type { AutomationsRow } from './automations-row.ts';
import { engineFrozen } from './freezes.ts';
import { consumersKilled, enginesKilled } from './kills.ts';
import { transactionOpen } from './long-transaction.ts';
import { naiveEngineKilled } from './naive.ts';
import { neighbourActive } from './neighbours.ts';
import { profilesBesideTriggers } from './new-profiles.ts';
import { kafkaAway, postgresStopped } from './outages.ts';
import { triggersOfAnyone } from './public-keys.ts';
import { allReadAgain } from './replays.ts';
import { servicesRestarted } from './restarts.ts';

/** Rows of automations, in table order. */
export const AUTOMATIONS_ROWS: readonly AutomationsRow[] = [
  enginesKilled,
  naiveEngineKilled,
  consumersKilled,
  kafkaAway,
  postgresStopped,
  servicesRestarted,
  engineFrozen,
  allReadAgain,
  transactionOpen,
  profilesBesideTriggers,
  triggersOfAnyone,
  neighbourActive,
];
