/**
 * `draft`: never activated. `stopped`: enters no one, and those who are in it go on to their end,
 * unless they were ended.
 */
export const AUTOMATION_STATUSES = ['draft', 'active', 'paused', 'stopped'] as const;
export type AutomationStatus = (typeof AUTOMATION_STATUSES)[number];

/**
 * Where a run is: on its way, past the last node, ended by an exit or a goal, or given up after
 * three tries. Each run is one of them.
 */
export const RUN_STATUSES = ['active', 'completed', 'exited', 'failed'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Why a trigger entered no one. */
export const ENTRY_REFUSALS = [
  'where',
  'filter',
  're_entry',
  'max_age',
  'not_proved',
  'not_registered',
  'paused',
  'before_activation',
  'capacity',
  'settling_timeout',
] as const;
export type EntryRefusal = (typeof ENTRY_REFUSALS)[number];

/** What a line of a trace says of its node. */
export const TRACE_OUTCOMES = [
  /** The run began. */
  'entered',
  /** It waits here. */
  'waiting',
  /** It went on, of a branch: into the first, or the one that `reason` names. */
  'passed',
  'sent',
  /** Nothing was sent: see the reason. */
  'skipped',
  /** It ended here. */
  'completed',
  'exited',
  'goal',
  'failed',
] as const;
export type TraceOutcome = (typeof TRACE_OUTCOMES)[number];

/** What a trace says of the branch of a split that was drawn, and of one taken as the better one. */
export const drawnReason = (branch: number): string => String(branch);
const WINNER_PREFIX = 'winner:';
export const winnerReason = (branch: number): string => `${WINNER_PREFIX}${branch}`;
export const isWinnerReason = (reason: string): boolean => reason.startsWith(WINNER_PREFIX);
/** `then`, `else`, or the place of a branch, however it was chosen. */
export const branchOfReason = (reason: string): string =>
  isWinnerReason(reason) ? reason.slice(WINNER_PREFIX.length) : reason;

/** Why a send was skipped. */
export const SKIP_REASONS = ['filter', 'unreachable', 'missed'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];
