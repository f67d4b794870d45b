import { existsSync } from 'node:fs';
import { homeLayout } from './home.ts';

/** Whether no start from this home has come as far as its demonstration application, since its data were made or deleted. */
export function isFirstStart(home: string): boolean {
  return !existsSync(homeLayout(home).credentialsFile);
}
