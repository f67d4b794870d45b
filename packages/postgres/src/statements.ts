import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns a statement by name; throws if there is none. */
export type Statements = (name: string) => string;

const folders = new Map<string, ReadonlyMap<string, string>>();

/**
 * Loads the SQL statements of a code folder, once. Each is one complete file in its folder `sql`,
 * so psql can run it unchanged.
 */
export function statementsIn(folder: string): Statements {
  const texts = folders.get(folder) ?? read(join(folder, 'sql'));
  folders.set(folder, texts);
  return (name) => {
    const text = texts.get(name);
    if (text === undefined) throw new Error(`there is no statement ${name} in ${folder}/sql`);
    return text;
  };
}

function read(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return new Map(
    files.map((file) => [file.slice(0, -4), asRun(readFileSync(join(folder, file), 'utf8'))]),
  );
}

/**
 * A statement without comments, in one line: the layout is for readers and would be sent to
 * Postgres on each run.
 */
export function asRun(text: string): string {
  return text
    .replaceAll(/^\s*--.*\n/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
