import type { Mutant } from './run-mutants.ts';

const CLAIMS = 'packages/delivery/src/claims.ts';
const SIMULATION = {
  project: 'integration',
  pattern: 'packages/channel-worker/src/testing/simulation',
} as const;

/** What "never twice" and exact counts stand on, each taken away once. */
export const DELIVERY_MUTANTS: readonly Mutant[] = [
  {
    name: 'arming does not ask for the fence',
    file: CLAIMS,
    find: "where ${isClaim} and d.fence = x.fence and d.state = 'claimed' and d.lease_until > now()",
    replace: "where ${isClaim} and d.state = 'claimed' and d.lease_until > now()",
    // Whoever armed compares the fences again, so that nothing is sent twice: it is the row that is in the wrong hands.
    tests: { project: 'integration', pattern: 'packages/delivery/src/addresses.integration' },
  },
  {
    name: 'a send whose lease has ended is claimed again',
    file: 'packages/delivery/src/is-due.ts',
    find: "(d.state = 'claimed' and (d.lease_until",
    replace: "(d.state in ('claimed', 'sending') and (d.lease_until",
    tests: SIMULATION,
  },
  {
    name: 'what arming refused is sent all the same',
    file: 'packages/channel-worker/src/send-group.ts',
    find: 'if (arming.armed.has(unitKey(prepared.delivery)))',
    replace: 'if (arming.armed !== null)',
    tests: SIMULATION,
  },
  {
    name: 'an outcome is recorded whatever its fence',
    file: 'packages/delivery/src/change-states.ts',
    find: ' and (w.fence is null or w.fence = d.fence)',
    replace: '',
    tests: { project: 'integration', pattern: 'packages/delivery/src|packages/channel-worker' },
  },
  {
    name: 'an address whose send has ended without an outcome is claimed again',
    file: 'packages/delivery/src/claim-addresses.ts',
    find: 'd.chunk_no = chunk.chunk_no and ${IS_DUE}',
    replace:
      "d.chunk_no = chunk.chunk_no and (${IS_DUE} or (d.state = 'sending' and d.lease_until < now()))",
    tests: SIMULATION,
  },
  {
    name: 'an outcome of an address is recorded whatever its fence',
    file: 'packages/delivery/src/change-address-states.ts',
    find: ' and (w.fence is null or w.fence = s.fence)',
    replace: '',
    tests: { project: 'integration', pattern: 'packages/delivery/src/addresses' },
  },
  {
    name: 'the fold reads the other addresses as they were when its statement began',
    file: 'packages/delivery/src/change-address-states.ts',
    find: ' order by a.delivery_id, a.address_no for update of a)',
    replace: ')',
    tests: { project: 'integration', pattern: 'packages/delivery/src/addresses' },
  },
  {
    name: 'a delivery has failed as soon as one of its addresses has',
    file: 'packages/delivery/src/fold.ts',
    find: "['sent', 'pending', 'unknown', 'canceled', 'expired', 'failed']",
    replace: "['failed', 'sent', 'pending', 'unknown', 'canceled', 'expired']",
    tests: SIMULATION,
  },
];
