import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const OTHERS_MAY_PASS = 0o001;

/** True if every account may traverse a folder and its parents. */
export function isOpenToAll(folder: string): boolean {
  if (existsSync(folder) && (statSync(folder).mode & OTHERS_MAY_PASS) === 0) return false;
  return dirname(folder) === folder || isOpenToAll(dirname(folder));
}
