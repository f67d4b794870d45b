import { existsSync } from 'node:fs';
import { homeLayout } from './home.ts';

/**
 * True if no start from this home has yet created its demonstration application, since the data was
 * created or deleted.
 */
export function isFirstStart(home: string): boolean {
  return !existsSync(homeLayout(home).credentialsFile);
}
