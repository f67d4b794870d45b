import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A migration, as in its file and in the database. */
export type Migration = {
  readonly id: number;
  readonly name: string;
  readonly sql: string;
  /** Checksum of the file's name and text. */
  readonly hash: string;
};

const FILE_NAME = /^(\d+)_(\w+)\.sql$/;

/**
 * Reads the migrations of a folder in order. The first is the baseline; the others follow without a
 * gap.
 * @throws Error if the folder is empty, has a gap or a file with another name
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
