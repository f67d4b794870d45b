import type { Mutant } from './run-mutants.ts';

const SQL = 'packages/delivery/src/sql';
const FAILOVER = {
  project: 'integration',
  pattern: 'packages/channel-worker/src/accounts/failover',
} as const;
const SIMULATION = {
  project: 'integration',
  pattern: 'packages/channel-worker/src/testing/simulation',
} as const;

const READ_ROWS = {
  project: 'integration',
  pattern: 'packages/delivery/src/read-rows',
} as const;

const SEND_SLOTS = {
  project: 'unit',
  pattern: 'packages/channel-worker/src/send-slots',
} as const;
const SMTP_SESSION = 'services/worker-email/src/providers/smtp/session.ts';
const SMTP_BEHIND = {
  project: 'unit',
  pattern: 'services/worker-email/src/providers/smtp/session-behind',
} as const;

/** Mutants of the rules behind at-most-once sending and exact counters. */
export const DELIVERY_MUTANTS: readonly Mutant[] = [
  {
    name: 'marking as sending ignores the fence',
    file: `${SQL}/parts.sql`,
    block: 'is-held',
    find: 'd.fence = x.fence and ',
    replace: '',
    // The fences are compared again before a send, so nothing is sent twice; the test notices that
    // the wrong claim updates the row.
    tests: { project: 'integration', pattern: 'packages/delivery/src/addresses-' },
  },
  {
    name: 'rows that were read are marked with any fence',
    file: `${SQL}/claims.sql`,
    block: 'is-as-read',
    find: 'and d.fence = x.fence - 1\n',
    replace: '',
    tests: READ_ROWS,
  },
  {
    name: 'rows that were read are marked in any state',
    file: `${SQL}/mark-sending.sql`,
    block: 'mark-read-deliveries-sending',
    find: '    and -- include: is-as-read(d, x)\n',
    replace: "    and x.read_until > date_part('epoch', now()) and d.fence = x.fence - 1\n",
    tests: READ_ROWS,
  },
  {
    name: 'the marking of rows that were read leaves their fence',
    file: `${SQL}/mark-sending.sql`,
    block: 'mark-read-deliveries-sending',
    find: '    fence = x.fence\n',
    replace: '',
    tests: SIMULATION,
  },
  {
    name: 'rows that were read are claimed with any fence',
    file: `${SQL}/claims.sql`,
    block: 'claim-read-deliveries',
    find: '  and -- include: is-as-read(d, x)\n',
    replace: "  and x.read_until > date_part('epoch', now()) and -- include: claimable(d)\n",
    tests: READ_ROWS,
  },
  {
    name: 'what is being sent is read to be sent',
    file: `${SQL}/claims.sql`,
    block: 'read-due-deliveries',
    find: '      and -- include: claimable(d)\n',
    replace: "      and d.state in ('pending', 'retry_wait', 'sending') and d.next_at <= now()\n",
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
    file: `${SQL}/parts.sql`,
    block: 'claim-is-over',
    find: "d.state = 'claimed'",
    replace: "d.state in ('claimed', 'sending')",
    tests: SIMULATION,
  },
  {
    name: 'deliveries that could not be marked as sending are sent',
    file: 'packages/channel-worker/src/send-group.ts',
    find: 'const marked = group.filter(isMarked);',
    replace: 'const marked = group;',
    tests: SIMULATION,
  },
  {
    name: 'an outcome is recorded without a fence check',
    file: `${SQL}/change-states.sql`,
    block: 'changed-deliveries',
    find: 'or w.fence = d.fence',
    replace: 'or true',
    tests: { project: 'integration', pattern: 'packages/delivery/src/claims' },
  },
  {
    name: 'an outcome that is plainly sent is recorded without a fence check',
    file: `${SQL}/record-sent.sql`,
    block: 'record-sent',
    find: 'and d.fence = w.fence ',
    replace: '',
    tests: { project: 'integration', pattern: 'packages/delivery/src/record-sent' },
  },
  {
    name: 'an outcome that is plainly sent is recorded in any state',
    file: `${SQL}/record-sent.sql`,
    block: 'record-sent',
    find: 'and d.state = any($7)',
    replace: 'and $7::text[] is not null',
    tests: { project: 'integration', pattern: 'packages/delivery/src/record-sent' },
  },
  {
    name: 'an address with an expired send is claimed again',
    file: `${SQL}/claim-addresses.sql`,
    block: 'claim-addresses',
    find: '        and -- include: claimable(d)\n      order by d.delivery_id',
    replace:
      "        and (d.state = 'sending' and d.lease_until < now() or\n  -- include: claimable(d)\n)\n      order by d.delivery_id",
    tests: SIMULATION,
  },
  {
    name: 'an outcome of an address is recorded without a fence check',
    file: `${SQL}/change-states.sql`,
    block: 'change-address-states',
    find: 'or w.fence = s.fence',
    replace: 'or true',
    tests: { project: 'integration', pattern: 'packages/delivery/src/addresses' },
  },
  {
    name: 'the aggregate reads the other addresses from its own snapshot',
    file: `${SQL}/change-states.sql`,
    block: 'change-address-states',
    find: '  order by a.delivery_id, a.address_no\n  for update of a\n',
    replace: '',
    tests: { project: 'integration', pattern: 'packages/delivery/src/addresses' },
  },
  {
    name: 'a delivery has failed as soon as one of its addresses has',
    file: `${SQL}/change-states.sql`,
    block: 'change-address-states',
    find: "array['sent',",
    replace: "array['failed', 'sent',",
    tests: SIMULATION,
  },
  {
    name: 'an unknown outcome is repeated by another account',
    file: 'packages/channel-worker/src/accounts/choose-account.ts',
    find: 'if (repeatedBy !== undefined) {',
    replace: 'if (false) {',
    tests: FAILOVER,
  },
  {
    name: 'what an account did not accept stays with it',
    file: 'packages/channel-worker/src/accounts/choose-account.ts',
    find: 'const ring = [...accounts.slice(last + 1), ...accounts.slice(0, last + 1)];',
    replace: 'const ring = [...accounts];',
    tests: FAILOVER,
  },
  {
    name: 'accounts are tried in circles without a pause',
    file: 'packages/channel-worker/src/accounts/choose-account.ts',
    find: "accounts.slice(at + 1).some((account) => healthOf(account).state === 'works')",
    replace: "accounts.some((account) => healthOf(account).state === 'works')",
    tests: FAILOVER,
  },
  {
    name: 'a delivery that begins anew is still counted for its account',
    file: `${SQL}/change-states.sql`,
    block: 'changed-deliveries',
    find: '    account = case when w."isFresh" then null else d.account end,\n',
    replace: '',
    tests: FAILOVER,
  },
  {
    name: 'an outcome is looked for at the first account',
    file: 'packages/channel-worker/src/poll-outcomes.ts',
    find: 'accounts.find((account) => account.name === name)',
    replace: 'settings',
    tests: { project: 'integration', pattern: 'packages/channel-worker/src/poll-outcomes' },
  },
  {
    name: 'the channel is paused with the first of its accounts',
    file: 'packages/channel-breakers/src/account-pauses.ts',
    find: "left.rows[0]?.is_left === true ? 'paused' : 'last'",
    replace: "left.rows.length === 0 ? 'paused' : 'last'",
    tests: FAILOVER,
  },
  {
    name: 'a refused mail with an envelope behind it is refused at once',
    file: SMTP_SESSION,
    find: `      this.#refused = { mail: current, error };
      return this.#advance();`,
    replace: `      return this.#settle((mail) => mail.reject(error));`,
    tests: SMTP_BEHIND,
  },
  {
    name: 'a mail behind another one fails with its connection',
    file: SMTP_SESSION,
    find: '    next?.reject(notSent());',
    replace: '    next?.reject(error);',
    tests: SMTP_BEHIND,
  },
  {
    name: 'an envelope behind another mail fails with what ended the connection',
    file: SMTP_SESSION,
    find: 'isBehind && isLost(error) ? notSent() : error',
    replace: 'error',
    tests: SMTP_BEHIND,
  },
  {
    name: 'a sender refused behind another mail is refused',
    file: SMTP_SESSION,
    find: `      if (current.isBehind && current.refused.command === 'MAIL FROM')
        return this.#closeWith(this.#lostConnection());
`,
    replace: '',
    tests: SMTP_BEHIND,
  },
  {
    name: 'any reply to an envelope behind another mail is one of it',
    file: SMTP_SESSION,
    find: `    if (current.isBehind && !isAccepted && !/^[45]/.test(reply))
      // No reply to this command: those before it may be replies to others, too.
      return this.#closeWith(this.#lostConnection());
`,
    replace: '',
    tests: SMTP_BEHIND,
  },
  {
    name: 'a mail that was given up behind another one is written at its turn',
    file: SMTP_SESSION,
    find: 'if (mail.isBehind) mail.isGivenUp = true;',
    replace: 'if (mail.isBehind) return;',
    tests: SMTP_BEHIND,
  },
  {
    name: 'express waits for a group of bulk',
    file: 'packages/channel-worker/src/send-slots.ts',
    find: " || waiting.some(({ lane }) => lane === 'express')",
    replace: '',
    tests: SEND_SLOTS,
  },
  {
    name: 'bulk is refilled slot by slot',
    file: 'packages/channel-worker/src/send-slots.ts',
    find: '2 * inUse.bulk <= ofBulk',
    replace: 'inUse.bulk <= ofBulk',
    tests: SEND_SLOTS,
  },
  {
    name: 'an open that is reported after the click is not heard',
    file: 'packages/delivery/src/delivery-updates.ts',
    find: ', ...notes.map(({ outcome }) => outcome.deliveryId)',
    replace: '',
    tests: { project: 'integration', pattern: 'packages/delivery/src/heard-outcomes' },
  },
  {
    name: 'outcomes wait for the whole window',
    file: 'packages/channel-worker/src/recorder.ts',
    find: 'Math.ceil(concurrency / 3)',
    replace: 'concurrency',
    tests: { project: 'integration', pattern: 'packages/channel-worker/src/recorder' },
  },
  {
    name: 'the lease of a group ends with its first send',
    file: 'packages/channel-worker/src/send-lease.ts',
    find: 'left -= ended;',
    replace: 'left = 0;',
    tests: { project: 'unit', pattern: 'packages/channel-worker/src/send-lease' },
  },
];
