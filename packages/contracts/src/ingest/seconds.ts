const SECONDS_MIN = 1_000_000_000;
const SECONDS_MAX = 9_999_999_999;

/** In this range a time in milliseconds is in 1970, and one in seconds between 2001 and 2286. */
export const looksLikeSeconds = (time: number | bigint): boolean =>
  time >= SECONDS_MIN && time <= SECONDS_MAX;
