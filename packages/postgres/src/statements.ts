import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Finds a statement by its name; throws where there is none. */
export type Statements = (name: string) => string;

const folders = new Map<string, ReadonlyMap<string, string>>();

/**
 * The statements of a folder of code: each is a file of its folder `sql`, complete, so that psql runs it as it stands.
 * All are read at once, when the code is loaded.
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

/** A statement as it is run: without its comments, in one line. The layout of a file is for its readers: Postgres would get it at each run. */
export function asRun(text: string): string {
  return text
    .replaceAll(/^\s*--.*\n/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
