import { readFileSync } from 'node:fs';

const FILE_SUFFIX = '_FILE';

/**
 * The environment as a plain object: the one file that reads `process.env`.
 * `NAME_FILE` gives the value of `NAME` from a file, for secrets that are mounted. An empty `NAME`
 * counts as absent: compose cannot leave a variable out.
 */
export function readEnvironment(source: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const environment = Object.fromEntries(
    Object.entries(source).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  for (const [fileName, path] of Object.entries(environment)) {
    const name = fileName.slice(0, -FILE_SUFFIX.length);
    if (!fileName.endsWith(FILE_SUFFIX) || !path.startsWith('/')) continue;
    if ((source[name] ?? '') !== '') continue;
    try {
      environment[name] = readFileSync(path, 'utf8').trimEnd();
    } catch {
      // Other programs use such variables too; the config check reports a missing one of ours.
    }
  }
  return environment;
}
