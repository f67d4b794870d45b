import { recountEvents } from '@tidings/events/retention/recount-events';
import type { Job } from '../job.ts';

/** Counts older events by event time, after an upgrade. */
export const eventRecount = (): Job => ({
  name: 'event-recount',
  intervalMs: 60_000,
  bound: { itemsPerStep: 5_000, stepsMax: Infinity },
  replicaMode: 'advisory-lock',
  run: ({ db, inSteps }) => inSteps((limit) => recountEvents(db, { limit })),
});
