import type { Mutant } from './run-mutants.ts';

const SQL = 'packages/delivery/src/sql';
const SIMULATION = {
  project: 'integration',
  pattern: 'packages/channel-worker/src/testing/simulation',
} as const;

const READ_ROWS = {
  project: 'integration',
  pattern: 'packages/delivery/src/read-rows',
} as const;

/** Mutants of the rules behind at-most-once sending and exact counters. */
export const DELIVERY_MUTANTS: readonly Mutant[] = [
  {
    name: 'marking as sending ignores the fence',
    file: `${SQL}/mark-addresses-sending.sql`,
    find: '      and d.fence = x.fence\n',
    replace: '',
    // The fences are compared again before a send, so nothing is sent twice; the test notices that
    // the wrong claim updates the row.
    tests: { project: 'integration', pattern: 'packages/delivery/src/addresses-' },
  },
  {
    name: 'rows that were read are marked with any fence',
    file: `${SQL}/mark-read-deliveries-sending.sql`,
    find: '      and d.fence = x.fence - 1\n',
    replace: '',
    tests: READ_ROWS,
  },
  {
    name: 'rows that were read are marked in any state',
    file: `${SQL}/mark-read-deliveries-sending.sql`,
    find: "d.state in ('pending', 'retry_wait')",
    replace: 'true',
    tests: READ_ROWS,
  },
  {
    name: 'the marking of rows that were read leaves their fence',
    file: `${SQL}/mark-read-deliveries-sending.sql`,
    find: '      fence = x.fence,\n',
    replace: '',
    tests: SIMULATION,
  },
  {
    name: 'rows that were read are claimed with any fence',
    file: `${SQL}/claim-read-deliveries.sql`,
    find: '  and d.fence = x.fence - 1\n',
    replace: '',
    tests: READ_ROWS,
  },
  {
    name: 'what is being sent is read to be sent',
    file: `${SQL}/read-due-deliveries.sql`,
    find: "d.state in ('pending', 'retry_wait')",
    replace: "d.state in ('pending', 'retry_wait', 'sending')",
    tests: READ_ROWS,
  },
  {
    name: 'rows that were read are settled although another has them',
    file: 'packages/channel-worker/src/unsent.ts',
    find: 'changes.filter((change) => own.has(targetKey(change)))',
    replace: 'changes',
    tests: { project: 'integration', pattern: 'packages/channel-worker/src/unsent' },
  },
  {
    name: 'a send with an expired lease is claimed again',
    file: `${SQL}/claim-deliveries.sql`,
    find: "d.state = 'claimed'",
    replace: "d.state in ('claimed', 'sending')",
    tests: SIMULATION,
  },
  {
    name: 'deliveries that could not be marked as sending are sent',
    file: 'packages/channel-worker/src/send-group.ts',
    find: 'if (marking.marked.has(targetKey(prepared.delivery)))',
    replace: 'if (marking.marked !== null)',
    tests: SIMULATION,
  },
  {
    name: 'an outcome is recorded without a fence check',
    file: `${SQL}/change-delivery-states.sql`,
    find: 'or w.fence = d.fence',
    replace: 'or true',
    tests: { project: 'integration', pattern: 'packages/delivery/src/claims' },
  },
  {
    name: 'an outcome that is plainly sent is recorded without a fence check',
    file: `${SQL}/record-sent.sql`,
    find: '      and d.fence = w.fence\n',
    replace: '',
    tests: { project: 'integration', pattern: 'packages/delivery/src/record-sent' },
  },
  {
    name: 'an outcome that is plainly sent is recorded in any state',
    file: `${SQL}/record-sent.sql`,
    find: '      and d.state = any($7)\n',
    replace: '      and $7::text[] is not null\n',
    tests: { project: 'integration', pattern: 'packages/delivery/src/record-sent' },
  },
  {
    name: 'an address with an expired send is claimed again',
    file: `${SQL}/claim-addresses.sql`,
    find: 'and d.chunk_no = chunk.chunk_no\n          and (\n',
    replace:
      "and d.chunk_no = chunk.chunk_no\n          and ((d.state = 'sending' and d.lease_until < now()) or\n",
    tests: SIMULATION,
  },
  {
    name: 'an outcome of an address is recorded without a fence check',
    file: `${SQL}/change-address-states.sql`,
    find: 'or w.fence = s.fence',
    replace: 'or true',
    tests: { project: 'integration', pattern: 'packages/delivery/src/addresses' },
  },
  {
    name: 'the aggregate reads the other addresses from its own snapshot',
    file: `${SQL}/change-address-states.sql`,
    find: '    order by\n      a.delivery_id,\n      a.address_no\n    for update of a\n',
    replace: '',
    tests: { project: 'integration', pattern: 'packages/delivery/src/addresses' },
  },
  {
    name: 'a delivery has failed as soon as one of its addresses has',
    file: `${SQL}/change-address-states.sql`,
    find: "array[\n          'sent',",
    replace: "array[\n          'failed', 'sent',",
    tests: SIMULATION,
  },
];
