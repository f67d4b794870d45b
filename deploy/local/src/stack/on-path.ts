import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The file that a shell would run for `command`, or undefined. */
export function findOnPath(command: string, env: NodeJS.ProcessEnv): string | undefined {
  return (env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find((file) => existsSync(file));
}
