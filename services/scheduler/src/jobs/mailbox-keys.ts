import { addMailboxKeys } from '@tidings/people/mailbox-keys';
import type { Job } from '../job.ts';

/** Makes the keys of mailboxes that an earlier version wrote: of users and of suppressions. */
export const mailboxKeys = (): Job => ({
  name: 'mailbox-keys',
  intervalMs: 10_000,
  bound: { itemsPerStep: 500, stepsMax: Infinity },
  replicaMode: 'skip-locked',
  run: ({ db, inSteps }) => inSteps((limit) => addMailboxKeys(db, limit)),
});
