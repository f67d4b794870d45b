import { recountEvents } from '@tidings/events/retention/recount-events';
import type { Job } from '../job.ts';

/** After an upgrade, counts older events by time. */
export const eventRecount = (): Job => ({
  name: 'event-recount',
  intervalMs: 60_000,
  bound: { itemsPerStep: 5_000, stepsMax: Infinity },
  replicaMode: 'takes-turns',
  run: ({ db, inSteps }) => inSteps((limit) => recountEvents(db, { limit })),
});
