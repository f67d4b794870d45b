import type { RunStatus, TraceOutcome } from './runs.ts';

/** `running`: also while it waits for its turn. */
export const REHEARSAL_STATUSES = ['running', 'completed', 'failed'] as const;
export type RehearsalStatus = (typeof REHEARSAL_STATUSES)[number];

/** Why a rehearsal has no result. */
export const REHEARSAL_ERRORS = [
  /** The processes that ran it ended, three times. */
  'interrupted',
  /** Postgres did not answer one question in time. */
  'timed_out',
  'internal',
] as const;
export type RehearsalError = (typeof REHEARSAL_ERRORS)[number];

/** Why not all people were rehearsed: those who were are a random sample. */
export const REHEARSAL_CUTS = ['events', 'time'] as const;
export type RehearsalCut = (typeof REHEARSAL_CUTS)[number];

/** What a rehearsal takes for granted. */
export const REHEARSAL_ASSUMPTIONS = [
  /** Values of profiles, devices, channels and suppressions of then are not stored. */
  'profiles_of_now',
  /** Which visitor is which person. */
  'identities_of_now',
  /** Definitions of segments, events and templates are those of now. */
  'settings_of_now',
  /**
   * A message that reaches its person is sent at once, and is not delivered, opened or clicked.
   * One that does not has failed at once.
   */
  'messages_not_sent',
  /** The engine handles each event when it is received, and each wait when it is over. */
  'no_delay',
  /** A throttle of the definition is left out. */
  'not_throttled',
  /** Splits of the definition that look for their better branch divide by weight all the time. */
  'splits_by_weight',
] as const;
export type RehearsalAssumption = (typeof REHEARSAL_ASSUMPTIONS)[number];

/** How often something happened, by reason. */
export type ByReason = Readonly<Record<string, number>>;

export type RehearsedNode = {
  readonly id: string;
  readonly entered: number;
  readonly waiting: number;
  readonly passed: number;
  readonly branches?: ByReason;
  /** Of a send: messages. */
  readonly sent?: number;
  /** Of a send: for whom there was no message. */
  readonly skipped?: ByReason;
  /** Of the messages: those that would not reach their person, by reason. */
  readonly unreachable?: ByReason;
};

/** Of one day in UTC. */
export type RehearsedDay = {
  /** `YYYY-MM-DD` */
  readonly day: string;
  readonly entered: number;
  readonly completed: number;
  readonly exited: number;
  readonly goals: number;
  readonly sent: number;
};

export type RehearsedChannel = {
  readonly channel: string;
  readonly sent: number;
  readonly unreachable: ByReason;
};

/** What would have become of those who did something in a period. */
export type RehearsalCounts = {
  /** Registered people who did what the trigger names, and those of them who were rehearsed. */
  readonly people: { readonly rehearsed: number; readonly of: number };
  /** Stored events that were read. */
  readonly events: number;
  readonly cut: RehearsalCut | null;
  /** The sum of the three after it. */
  readonly entered: number;
  readonly active: number;
  readonly completed: number;
  readonly exited: number;
  readonly goals: number;
  /** Triggers that entered no one. */
  readonly refused: ByReason;
  readonly nodes: readonly RehearsedNode[];
  readonly days: readonly RehearsedDay[];
  readonly channels: readonly RehearsedChannel[];
  readonly unreachable: ByReason;
  readonly skipped: ByReason;
};

/** A line of a trace. */
export type RehearsedLine = {
  /** Empty: the automation itself. */
  readonly node: string;
  readonly at: number;
  readonly outcome: TraceOutcome;
  readonly reason?: string;
  /** Of `sent`. */
  readonly channel?: string;
  /** Of `sent`: why the message would not reach the person now. */
  readonly unreachable?: string;
};

/** One run, without its person. */
export type RehearsedRun = {
  readonly key: string;
  /** What it was entered by; `eventId` null: an instant. */
  readonly trigger: { readonly eventId: string | null; readonly at: number | bigint };
  readonly enteredAt: number;
  readonly status: Exclude<RunStatus, 'failed'>;
  readonly lines: readonly RehearsedLine[];
};
