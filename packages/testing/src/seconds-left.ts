import assert from 'node:assert/strict';

/** Time that may pass between two statements of a test on a busy machine. */
const BUSY_SECONDS = 15;

/** Expects a time that was `seconds` ahead when an earlier statement set it. */
export function expectSecondsLeft(actual: number | null | undefined, seconds: number): void {
  assert(
    typeof actual === 'number' && actual <= seconds && actual > seconds - BUSY_SECONDS,
    `${actual} s are left, expected ${seconds} s or up to ${BUSY_SECONDS} s less`,
  );
}
