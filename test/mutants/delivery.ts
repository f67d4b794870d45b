import type { Mutant } from './run-mutants.ts';

const CLAIMS = 'packages/db/src/campaigns/claims.ts';
const SIMULATION = { project: 'integration', pattern: 'packages/channel-worker/src/testing/simulation' } as const;

/** What "never twice" and exact counts stand on, each taken away once. */
export const DELIVERY_MUTANTS: readonly Mutant[] = [
  {
    name: 'arming does not ask for the fence',
    file: CLAIMS,
    find: "where d.id = x.id and d.fence = x.fence and d.state = 'claimed' and d.lease_until > now()",
    replace: "where d.id = x.id and d.state = 'claimed' and d.lease_until > now()",
    tests: SIMULATION,
  },
  {
    name: 'a send whose lease has ended is claimed again',
    file: CLAIMS,
    find: "(d.state = 'claimed' and d.lease_until < now()))",
    replace: "(d.state in ('claimed', 'sending') and d.lease_until < now()))",
    tests: SIMULATION,
  },
  {
    name: 'what arming refused is sent all the same',
    file: 'packages/channel-worker/src/send-group.ts',
    find: 'if (arming.armed.has(prepared.delivery.deliveryId))',
    replace: 'if (arming.armed !== null)',
    tests: SIMULATION,
  },
  {
    name: 'an outcome is recorded whatever its fence',
    file: 'packages/db/src/campaigns/change-states.ts',
    find: ' and (w.fence is null or w.fence = d.fence)',
    replace: '',
    tests: { project: 'integration', pattern: 'packages/db/src/campaigns|packages/channel-worker' },
  },
];
