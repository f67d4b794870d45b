import { runNextRehearsal } from '@tidings/automation-rehearsal/run-rehearsal';
import { systemClock } from '@tidings/platform';
import type { Job } from '../job.ts';

/** Tries automations on stored events. Each takes at most some five minutes, one at a time. */
export const rehearsals = (): Job => ({
  name: 'rehearsals',
  intervalMs: 1_000,
  // Rehearsals: a step is one, in many short statements.
  bound: { itemsPerStep: 1, stepsMax: 10 },
  // By a lease: another replica takes what this one leaves.
  replicaMode: 'skip-locked',
  run: ({ db, signal, inSteps }) =>
    inSteps(() => runNextRehearsal(db, { clock: systemClock, signal })),
});
