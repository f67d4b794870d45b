import type { Clock } from '@tidings/platform';
import type { Coordination } from '../coordination.ts';
import { createInProcessBroadcast } from './broadcast.ts';
import { createInProcessRates } from './rate-limiters.ts';

/** Connects the services of this process, and no other. A restart fills every bucket. */
export function createInProcessCoordination({ clock }: { readonly clock: Clock }): Coordination {
  return {
    rateLimiters: createInProcessRates(clock),
    keyChanges: createInProcessBroadcast(),
    inboxWakeUps: createInProcessBroadcast(),
    close: () => Promise.resolve(),
  };
}
