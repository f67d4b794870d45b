/** How messages of an automation are spaced. Milliseconds. */
export type Pace = {
  /** Between two of them. */
  readonly spacingMs: number;
  /** How much later than its instant one may go, without another having to wait. */
  readonly toleranceMs: number;
};

const TOLERANCE_SHARE = 0.05;
const TOLERANCE_MAX_MS = 10_000;

/** At most `sends` messages in any time of `perMs`. */
export type Bound = { readonly sends: number; readonly perMs: number };

/**
 * At most `sends` in any time `perMs`, exactly: within it go the messages of instants of at most it
 * and the tolerance together, which are `sends`.
 */
export function paceOf({ sends, perMs }: Bound): Pace {
  const toleranceMs = Math.min(perMs * TOLERANCE_SHARE, TOLERANCE_MAX_MS);
  return { spacingMs: (perMs + toleranceMs) / sends, toleranceMs };
}

/** What is planned and what was sent, in milliseconds. */
export type Planned = {
  /** The next instant that no run has. */
  readonly nextMs: number;
  /** Of the generic cell rate algorithm: each message moves it on by the spacing. */
  readonly sentMs: number;
  /** That the instants were planned with. */
  readonly spacingMs: number;
};

/** Who asks to send now: runs whose instant has come, and those without one, in their order. */
export type Asking = { readonly held: number; readonly fresh: number };

export type Plan = {
  readonly planned: Planned;
  /** Of each, the instant at which it sends: `now`, or later. */
  readonly held: readonly number[];
  readonly fresh: readonly number[];
};

/**
 * Gives instants to those who ask. A run that is late by more than the tolerance, as after a pause or a
 * stop of the engines, goes only as far as the rate allows, and else to the end of the queue. With
 * another spacing the queue begins anew.
 */
export function plan(before: Planned, asking: Asking, { now, pace }: At): Plan {
  const { spacingMs, toleranceMs } = pace;
  let { sentMs } = before;
  let nextMs = Math.max(before.spacingMs === spacingMs ? before.nextMs : now, now);
  const isFree = (): boolean => sentMs - toleranceMs <= now;
  const send = (): number => {
    sentMs = Math.max(sentMs, now) + spacingMs;
    return now;
  };
  const reserve = (): number => {
    const slot = nextMs;
    nextMs += spacingMs;
    // Whole milliseconds, never earlier: runs are stored so.
    return Math.ceil(slot);
  };
  const reserveLater = (): number => {
    nextMs = Math.max(nextMs, sentMs - toleranceMs);
    return Math.max(reserve(), Math.ceil(now + 1));
  };
  const held = Array.from({ length: asking.held }, () => (isFree() ? send() : reserveLater()));
  const fresh = Array.from({ length: asking.fresh }, () => {
    if (nextMs > now) return Math.max(reserve(), Math.ceil(now + 1));
    nextMs = now + spacingMs;
    return isFree() ? send() : reserveLater();
  });
  return { planned: { nextMs, sentMs, spacingMs }, held, fresh };
}

type At = { readonly now: number; readonly pace: Pace };
