import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT_DIR } from '../home.ts';

type Manifest = { readonly dependencies?: Readonly<Record<string, string>> };

/** The `src` folders that a service runs: its own, and those of the packages that it depends on, directly or through others. */
export function listSourceFolders(service: string, rootDir = ROOT_DIR): readonly string[] {
  const folders = new Set<string>();
  const add = (folder: string): void => {
    if (folders.has(folder)) return;
    folders.add(folder);
    const { dependencies = {} } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as Manifest;
    for (const [name, version] of Object.entries(dependencies))
      if (version.startsWith('workspace:')) add(findFolder(name, rootDir));
  };
  add(join(rootDir, 'services', service));
  return [...folders].map((folder) => join(folder, 'src'));
}

/** The folder of a workspace package: its name without the scope, below `packages` or `services`. */
function findFolder(name: string, rootDir: string): string {
  const folder = name.replace(/^@tidings\//, '');
  const found = ['packages', 'services']
    .map((parent) => join(rootDir, parent, folder))
    .find((candidate) => existsSync(join(candidate, 'package.json')));
  if (found === undefined) throw new Error(`${name} is not a package in packages/ or services/`);
  return found;
}
