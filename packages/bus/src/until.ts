import { setTimeout as delay } from 'node:timers/promises';

/** For tests: polls every 5 ms until `claim` holds. @throws Error after `deadlineMs` */
export async function until(
  claim: () => boolean | Promise<boolean>,
  deadlineMs = 20_000,
): Promise<void> {
  const endsAt = performance.now() + deadlineMs;
  while (!(await claim())) {
    if (performance.now() > endsAt)
      throw new Error(`not so within ${deadlineMs} ms: ${claim.toString()}`);
    await delay(5);
  }
}
