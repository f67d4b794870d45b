import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A step of the schema, as its file and the list in the database have it. */
export type Migration = {
  readonly id: number;
  readonly name: string;
  readonly sql: string;
  /** Of the file's name and text. */
  readonly hash: string;
};

const FILE_NAME = /^(\d+)_(\w+)\.sql$/;

/**
 * The migrations of a folder in their order: the first is the baseline, the others follow it without a gap.
 * @throws Error when the folder has none, a gap, or a file of another name
 */
export async function readMigrations(directory: string): Promise<readonly Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql'));
  const migrations = await Promise.all(names.map((name) => readMigration(directory, name)));
  const ordered = migrations.toSorted((a, b) => a.id - b.id);
  const [first] = ordered;
  if (first === undefined) throw new Error('The folder of migrations is empty.');
  const misplaced = ordered.find(({ id }, index) => id !== first.id + index);
  if (misplaced !== undefined)
    throw new Error(`Migration ${misplaced.id}_${misplaced.name} does not follow the one before.`);
  return ordered;
}

async function readMigration(directory: string, fileName: string): Promise<Migration> {
  const [, number, name] = FILE_NAME.exec(fileName) ?? [];
  if (number === undefined || name === undefined)
    throw new Error(`${fileName} is no name of a migration: it is NUMBER_name.sql.`);
  const sql = await readFile(join(directory, fileName), 'utf8');
  const hash = createHash('sha1').update(`${fileName}${sql}`).digest('hex');
  return { id: Number(number), name, sql, hash };
}
