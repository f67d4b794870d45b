import { expect } from '@jest/globals';

/** Time that may pass between two statements of a test on a busy machine. */
const BUSY_SECONDS = 15;

/** Expects a time that was `seconds` ahead when an earlier statement set it. */
export function expectSecondsLeft(actual: number | null | undefined, seconds: number): void {
  expect(actual).toBeLessThanOrEqual(seconds);
  expect(actual).toBeGreaterThan(seconds - BUSY_SECONDS);
}
