/** More than the clocks of transactions at the same time are apart. */
const TOLERANCE = `interval '60 s'`;

/**
 * SQL of whether Postgres' clock was ahead when it wrote this time, at which a row was written, and was put right since.
 * The other times of that row were reckoned from the wrong time. Their own distance says nothing: quiet hours and caps
 * hold a row for days. `now()` is no measure: a long transaction sees rows that were written after it began.
 */
export const isWrittenAhead = (writtenAt: string): string =>
  `${writtenAt} > statement_timestamp() + ${TOLERANCE}`;

/**
 * SQL of the new `written_at` of the chunk `k`, for each statement that writes one of its times. A time ahead stays:
 * the chunk has other times, which only `rescheduleWrittenAhead` puts right, all at once.
 */
export const writtenNow = (k: string): string =>
  `case when ${isWrittenAhead(`${k}.written_at`)} then ${k}.written_at else now() end`;
