import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { homeLayout } from './home.ts';

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
/** Others may reach what lies below, if they may read that, and cannot list it. */
const PASSABLE_FOLDER = 0o711;

/**
 * Makes a home, or one that an earlier version made readable to others, private: its logs and
 * messages have names, addresses and texts of people. Where this process is root, Postgres runs as
 * another account and must pass the way to its data.
 */
export function makeHomePrivate(home: string, isRoot = process.getuid?.() === 0): void {
  const { ownerDir, runDir, logDir, dataDir } = homeLayout(home);
  const data = dataDir('');
  for (const folder of [home, data]) {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, isRoot ? PASSABLE_FOLDER : PRIVATE_FOLDER);
  }
  for (const folder of [ownerDir, runDir, logDir]) {
    mkdirSync(folder, { recursive: true });
    tightenFolder(folder);
  }
  tightenFiles(home);
  tightenFiles(data);
  for (const folder of listOwn(data).filter(({ isFolder }) => isFolder)) tightenFolder(folder.path);
}

function tightenFolder(folder: string): void {
  chmodSync(folder, PRIVATE_FOLDER);
  tightenFiles(folder);
}

function tightenFiles(folder: string): void {
  for (const { path, isFile } of listOwn(folder)) if (isFile) chmodSync(path, PRIVATE_FILE);
}

type Entry = { readonly path: string; readonly isFile: boolean; readonly isFolder: boolean };

/** Without those of other accounts, such as that of Postgres, and without links. */
function listOwn(folder: string): readonly Entry[] {
  const uid = process.getuid?.();
  return readdirSync(folder).flatMap((name): Entry[] => {
    const path = join(folder, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.uid !== uid) return [];
    return [{ path, isFile: found.isFile(), isFolder: found.isDirectory() }];
  });
}
