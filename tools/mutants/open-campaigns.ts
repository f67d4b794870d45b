import type { Mutant } from './run-mutants.ts';

const DELIVERY = 'packages/delivery/src';
const APPENDING = {
  project: 'integration',
  pattern: 'packages/delivery/src/append-recipients',
} as const;
const OPEN = { project: 'integration', pattern: 'packages/delivery/src/open-campaigns' } as const;

/** Mutants of the rules by which each message of an automation exists exactly once. */
export const OPEN_CAMPAIGN_MUTANTS: readonly Mutant[] = [
  {
    name: 'an open campaign completes when nothing is pending',
    file: `${DELIVERY}/sql/sweeps.sql`,
    block: 'complete-campaigns',
    find: '    and not -- include: takes-recipients(c)\n',
    replace: '',
    tests: APPENDING,
  },
  {
    name: 'a completion does not see what is appended meanwhile',
    file: `${DELIVERY}/sql/append-recipients.sql`,
    block: 'expand-appended',
    find: ', retried_at = clock_timestamp()',
    replace: '',
    tests: APPENDING,
  },
  {
    name: 'recipients are appended to a campaign that no longer sends',
    file: `${DELIVERY}/sql/append-recipients.sql`,
    block: 'lock-open-campaigns',
    find: "c.status = 'sending' and ",
    replace: '',
    tests: APPENDING,
  },
  {
    name: 'who is in the campaign already gets no second message',
    file: `${DELIVERY}/append-recipients.ts`,
    find: 'if (deliveryId === undefined || own === undefined) return true;',
    replace: 'if (deliveryId === undefined || own === undefined) return false;',
    tests: APPENDING,
  },
  {
    name: 'two messages of a person in one step share a delivery',
    file: `${DELIVERY}/append-recipients.ts`,
    find: 'made.deliveries.delete(key);',
    replace: '',
    tests: APPENDING,
  },
  {
    name: 'nodes are locked in any order',
    file: `${DELIVERY}/sql/append-recipients.sql`,
    block: 'lock-nodes',
    find: 'order by automation_id, version, node, message_no, template_version, lane, slot\n',
    replace: 'order by random()\n',
    tests: APPENDING,
  },
  {
    name: 'what an automation knew stays where no messages are kept',
    file: `${DELIVERY}/sql/append-recipients.sql`,
    block: 'expand-appended',
    find: "coalesce((a.settings ->> 'keepSentMessages')::boolean, true)",
    replace: 'true',
    tests: OPEN,
  },
  {
    name: 'what an automation knew goes before a retry',
    file: `${DELIVERY}/sql/delivery-contexts.sql`,
    block: 'forget-settled-contexts',
    find: '      and d.state not in -- include: pending-states\n',
    replace: '',
    tests: OPEN,
  },
  {
    name: 'times to a send count from the opening',
    file: `${DELIVERY}/sql/parts.sql`,
    block: 'send-latency',
    find: 'when c.open_until is null then',
    replace: 'when true then',
    tests: OPEN,
  },
  {
    name: 'an outcome that implies the awaited one is not told',
    file: `${DELIVERY}/sql/heard-outcomes.sql`,
    block: 'read-heard-outcomes',
    find: ":array_position(array['sent', 'delivered', 'displayed', 'opened', 'clicked'], d.state)",
    replace: ':0',
    tests: { project: 'integration', pattern: 'packages/delivery/src/heard-outcomes' },
  },
];
