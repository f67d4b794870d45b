import type { WorkerChannel } from './channels.ts';

/** Sizes of the measurements. */
export type Sizes = {
  readonly users: number;
  readonly rounds: number;
  /** Recipients of the expanded campaign. */
  readonly expanded: number;
  /** Recipients of each sent campaign. */
  readonly sent: Readonly<Record<WorkerChannel, number>>;
  /** Recipients of each inbox campaign. */
  readonly inbox: number;
  /** Web pushes per round. */
  readonly encrypted: number;
  /** Recipients of the campaign that runs beside single pushes. */
  readonly bulk: number;
  /** Recipients of each push of a million. */
  readonly millionPush: number;
  /** Recipients of a small and of a large campaign on tables that were never analyzed. */
  readonly fresh: { readonly small: number; readonly large: number };
  /** Pushes of each series of scheduled ones. */
  readonly scheduled: number;
  readonly singlesMs: number;
  /** Rate of single pushes without a campaign. */
  readonly singlesAlonePerSecond: number;
};

export const FULL: Sizes = {
  users: 100_000,
  rounds: 5,
  expanded: 100_000,
  sent: { EMAIL: 20_000, WEB_HOOK: 20_000, SMS: 20_000, WEB_PUSH: 20_000, APP_PUSH: 20_000 },
  inbox: 50_000,
  encrypted: 2_000,
  bulk: 100_000,
  millionPush: 100_000,
  fresh: { small: 1_000, large: 100_000 },
  scheduled: 200,
  singlesMs: 15_000,
  singlesAlonePerSecond: 200,
};

/** Smoke test only; the figures mean nothing. */
export const QUICK: Sizes = {
  users: 5_000,
  rounds: 1,
  expanded: 2_000,
  sent: { EMAIL: 500, WEB_HOOK: 500, SMS: 500, WEB_PUSH: 500, APP_PUSH: 500 },
  inbox: 2_000,
  encrypted: 100,
  bulk: 2_000,
  millionPush: 400,
  fresh: { small: 200, large: 2_000 },
  scheduled: 20,
  singlesMs: 500,
  singlesAlonePerSecond: 50,
};
