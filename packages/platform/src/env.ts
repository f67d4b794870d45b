import { readFileSync } from 'node:fs';

/**
 * The environment as a plain object: the one file that reads `process.env`.
 * `NAME_FILE` gives the value of `NAME` from a file, for secrets that are mounted.
 */
export function readEnvironment(source: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined) continue;
    environment[name] = value;
    if (
      name.endsWith('_FILE') &&
      source[name.slice(0, -5)] === undefined &&
      value.startsWith('/')
    ) {
      try {
        environment[name.slice(0, -5)] = readFileSync(value, 'utf8').trimEnd();
      } catch {
        // Other programs use such variables too; the config check reports a missing one of ours.
      }
    }
  }
  return environment;
}
