import type { Breakpoint } from '../../net/breakpoints.ts';

/** Or in bulk, a read. */
const CLAIM = /\bset state = 'claimed', fence = d\.fence \+ 1|\bas read_until from chunk\b/;
const ARM = /\bset state = 'sending'/;
/** The two statements that settle deliveries: any outcome, and those that are plainly sent. */
const RECORD = /jsonb_to_recordset\(\$1::jsonb\)|\bset state = 'sent', reason = null\b/;
const ANYTHING = /^/;

const postgres = (at: Breakpoint['at'], name: string, pattern: RegExp): Breakpoint => ({
  name,
  of: 'postgres',
  at,
  pattern,
});

/** Points at which a channel worker is killed: before and after each step of a delivery. */
export const WORKER_BREAKPOINTS: readonly Breakpoint[] = [
  postgres('request', 'before the claim', CLAIM),
  postgres('answer', 'after the claim is committed', CLAIM),
  postgres('request', 'before arming', ARM),
  postgres('answer', 'after marking as sending is committed', ARM),
  {
    name: 'after the provider has accepted, before its response',
    of: 'provider',
    at: 'answer',
    pattern: ANYTHING,
  },
  postgres('request', 'after the response, before it is recorded', RECORD),
  postgres('answer', 'after the outcome is committed', RECORD),
  { name: 'after the offset is committed', of: 'kafka', at: 'answer', pattern: ANYTHING },
];

/** A commit event includes the statements of its transaction. */
const COMMIT_OF_EXPANSION = /^commit\b[^]*\binsert into deliveries\b/i;
const MARK = /\bset announced_partition\b/;

/** Points at which the service that expands campaigns is killed. */
export const EXPANSION_BREAKPOINTS: readonly Breakpoint[] = [
  postgres('request', 'in an expansion, before its commit', COMMIT_OF_EXPANSION),
  postgres('answer', 'after the commit of an expansion', COMMIT_OF_EXPANSION),
  postgres('request', 'after chunks are dispatched, before that is recorded', MARK),
  postgres('answer', 'after the dispatch of chunks is recorded', MARK),
];
