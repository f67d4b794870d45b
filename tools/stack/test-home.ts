import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lockHome, homeLayout, isAbandoned, stopRecorded, TEST_HOMES_DIR } from '@tidings/local';

/** Creates a folder for data, logs and process records of one test run, locked by this process. */
export async function makeTestHome(name: string): Promise<{ home: string; discard: () => void }> {
  await sweepTestHomes();
  const home = join(TEST_HOMES_DIR, `${name}-${process.pid}-${Date.now().toString(36)}`);
  mkdirSync(home, { recursive: true });
  const claim = await lockHome(home);
  return {
    home,
    discard: () => {
      claim.release();
      // Keeps the logs of a failed run; the next run deletes them.
      if (!process.env['KEEP_TEST_HOME']) rmSync(home, { recursive: true, force: true });
    },
  };
}

/**
 * Stops and removes what killed test runs left; running ones are not touched. The name of a home
 * contains its process: between its creation and its lock, and during removal, a home looks
 * abandoned.
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
    return false; // No such process.
  }
}
