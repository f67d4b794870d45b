import { readFileSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

export const ROOT_DIR = resolve(import.meta.dirname, '..', '..');

/** A source file; the path is relative to the root. */
export type SourceFile = {
  readonly path: string;
  readonly text: string;
  /** Source without comments. */
  readonly code: string;
  /** Module specifiers as written; `isTypeOnly` imports do not exist at run time. */
  readonly imports: readonly {
    readonly from: string;
    readonly isTypeOnly: boolean;
    readonly names: readonly string[];
  }[];
};

const IMPORT =
  /(?:^|\n)(?:import|export)\s+(type\s+)?(?:\{([^}]*)\}|\*\s+as\s+\w+|[\w$]+(?:\s*,\s*\{([^}]*)\})?)\s+from\s+'([^']+)'/g;

function* walk(directory: string): Generator<string> {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (['node_modules', 'dist', '.tidings'].includes(entry.name)) continue;
    const path = join(directory, entry.name);
    if (path.endsWith('/src/generated')) continue;
    if (entry.isDirectory()) yield* walk(path);
    else if (/\.(ts|tsx|mts|mjs)$/.test(entry.name)) yield path;
  }
}

function read(path: string): SourceFile {
  const text = readFileSync(path, 'utf8');
  const imports = [...text.matchAll(IMPORT)].map(
    ([, type, names = '', moreNames = '', from = '']) => ({
      from,
      isTypeOnly: type !== undefined,
      names: `${names},${moreNames}`
        .split(',')
        .map((name) =>
          name
            .replace(/^\s*type\s+/, '')
            .replace(/\s+as\s+.*$/, '')
            .trim(),
        )
        .filter((name) => name !== ''),
    }),
  );
  return {
    path: relative(ROOT_DIR, path),
    text,
    code: text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1'),
    imports,
  };
}

/** All source files. */
export function readSourceFiles(): SourceFile[] {
  return ['packages', 'services', 'web', 'deploy', 'test', 'tools']
    .flatMap((folder) => [...walk(join(ROOT_DIR, folder))])
    .map(read);
}

export const isTest = ({ path }: Pick<SourceFile, 'path'>): boolean =>
  /\.test\.ts$|\.conformance\.ts$|\/testing\//.test(path);

/**
 * The workspace package of a file: `packages/people`, `services/gateway`, `deploy/local`, `web`,
 * `test`, `tools`.
 */
export function packageOf(path: string): string {
  const [folder = ''] = path.split('/');
  return ['test', 'tools', 'web'].includes(folder) ? folder : path.split('/').slice(0, 2).join('/');
}

const PACKAGES = new Set(readdirSync(join(ROOT_DIR, 'packages')));

/** `@tidings/people/users` → `packages/people`, `@tidings/gateway` → `services/gateway`. */
export function workspacePackage(specifier: string): string | null {
  const name = /^@tidings\/([^/]+)/.exec(specifier)?.[1];
  if (name === undefined) return null;
  if (['tools', 'web'].includes(name)) return name;
  if (['image', 'install', 'local'].includes(name)) return `deploy/${name}`;
  return PACKAGES.has(name) ? `packages/${name}` : `services/${name}`;
}
