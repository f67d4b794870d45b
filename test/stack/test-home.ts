import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lockHome, homeLayout, isAbandoned, stopRecorded, TEST_HOMES_DIR } from '@tidings/local';

/** A folder of data, logs and process records for one test run or one end-to-end test, owned by this process. */
export async function makeTestHome(name: string): Promise<{ home: string; discard: () => void }> {
  await sweepTestHomes();
  const home = join(TEST_HOMES_DIR, `${name}-${process.pid}-${Date.now().toString(36)}`);
  mkdirSync(home, { recursive: true });
  const claim = await lockHome(home);
  return {
    home,
    discard: () => {
      claim.release();
      // The logs of a run that failed are worth more than the space; the next run takes them away.
      if (!process.env['KEEP_TEST_HOME']) rmSync(home, { recursive: true, force: true });
    },
  };
}

/**
 * Ends and removes what test runs left behind that were killed; those of living runs stay. A home is its process's from
 * its name on: between the moment it is made and its claim, and while it is removed, it only looks abandoned.
 */
export async function sweepTestHomes(): Promise<void> {
  if (!existsSync(TEST_HOMES_DIR)) return;
  const abandoned = readdirSync(TEST_HOMES_DIR)
    .filter((name) => !isOfLivingProcess(name))
    .map((name) => join(TEST_HOMES_DIR, name))
    .filter(isAbandoned);
  for (const home of abandoned) {
    await stopRecorded(homeLayout(home).runDir);
    rmSync(home, { recursive: true, force: true });
  }
}

function isOfLivingProcess(name: string): boolean {
  const pid = Number(/-(\d+)-[0-9a-z]+$/.exec(name)?.[1]);
  if (!Number.isInteger(pid)) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // There is no such process.
  }
}
