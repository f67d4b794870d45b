/** Sizes of the measurements of one form. */
export type FormSizes = {
  readonly idleMs: number;
  readonly mails: number;
  /** Requests of 100 events. */
  readonly eventRequests: number;
  readonly acceptanceMs: number;
  readonly requestsPerSecond: number;
};

export const FULL: FormSizes = {
  idleMs: 20_000,
  mails: 20_000,
  eventRequests: 3_000,
  acceptanceMs: 20_000,
  requestsPerSecond: 1_000,
};

/** Smoke test only; the figures mean nothing. */
export const QUICK: FormSizes = {
  idleMs: 2_000,
  mails: 500,
  eventRequests: 50,
  acceptanceMs: 2_000,
  requestsPerSecond: 200,
};
