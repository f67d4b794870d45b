import { normalizePhoneNumbers } from '@tidings/people/phone-normalization';
import type { Job } from '../job.ts';

/** Normalises phone numbers of applications whose default country has changed. */
export const phoneNumbers = (): Job => ({
  name: 'phone-numbers',
  intervalMs: 2_000,
  bound: { itemsPerStep: 500, stepsMax: Infinity },
  replicaMode: 'skip-locked',
  run: ({ db, inSteps }) => inSteps((limit) => normalizePhoneNumbers(db, limit)),
});
