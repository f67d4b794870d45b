import { workerName } from '@tidings/contracts/topics';
import { startDeliveryRig, type DeliveryRig } from './delivery-rig.ts';
import type { RigStart } from './rig.ts';

/** Two engines, which share the people. The second one is added by the rows. */
export const ENGINE = 'automation-engine';
export const ENGINES = [ENGINE, `${ENGINE}-2`] as const;

/** What events, automations and campaigns by EMAIL need. */
const SERVICES = [
  'gateway',
  'users-consumer',
  'events-consumer',
  ENGINE,
  'campaigns',
  'scheduler',
  workerName('EMAIL'),
];

export function startAutomationsRig(start: RigStart): Promise<DeliveryRig> {
  return startDeliveryRig({
    ...start,
    services: SERVICES,
    // Their usual one: it ends the step of an engine that is frozen.
    instanceEnv: new Map(
      ENGINES.map((name) => [name, { DATABASE_STATEMENT_TIMEOUT_MS: '30000' }] as const),
    ),
  });
}
