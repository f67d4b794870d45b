import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder unless it exists. `make` fills a temporary one, which is then renamed: concurrent or
 * interrupted calls, also of several processes, leave no partial folder.
 */
export async function makeOnce(
  folder: string,
  make: (making: string) => Promise<void>,
): Promise<void> {
  if (existsSync(folder)) return;
  mkdirSync(dirname(folder), { recursive: true });
  const making = mkdtempSync(`${folder}.`);
  try {
    await make(making);
    renameSync(making, folder);
  } catch (error) {
    rmSync(making, { recursive: true });
    // Another call was faster.
    if (!existsSync(folder)) throw error;
  }
}
