import { dirname, join } from 'node:path';
import { resolveImport } from '../architecture/resolve-import.ts';
import { isTest, type SourceFile } from '../architecture/source-files.ts';

/** All files of the checkout. */
export type Paths = { readonly files: ReadonlySet<string>; readonly folders: ReadonlySet<string> };

const TOP_FOLDERS = 'packages|services|web|deploy|helm|docs|test|tools';
/** A module specifier in a string, also of a dynamic import; or a path from the file's folder. */
const SPECIFIER = /(['"`])((?:\.{1,2}\/|@tidings\/)[^'"`$\n]*)\1/g;
/** A path from the root in a string, up to the first value in a template. */
const PATH = new RegExp(`['"\`]((?:${TOP_FOLDERS})/[^'"\`$\\s]*)`, 'g');
const JOINED = /\b(?:join|resolve)\(([^()]*)\)/g;

/** Files and folders that files need without naming them, such as those of programs that they start. */
const UNNAMED: Readonly<Record<string, readonly string[]>> = {
  'tools/stack/start-tidings.ts': ['services', 'helm/tidings/values.yaml'],
  'deploy/image/assemble.mjs': ['packages', 'services', 'web', 'deploy/install', 'docs'],
  'services/client-api/src/routes/sdk-files/handler.ts': ['services/client-api/browser-sdk'],
};

/** The name of a folder that stands for its sources. */
export const sourcesIn = (folder: string): string => `${folder}/**`;
/** The name of a folder that stands for its other files. */
export const othersIn = (folder: string): string => `${folder}/*`;

/**
 * What a file needs when it runs: the files that it imports, and the files and folders that it names.
 * It may list more than that, since a string may name a path for another reason. A type does not
 * exist at run time. Product code reads no sources, but starts may.
 */
export function needsOfFile(file: SourceFile, paths: Paths): ReadonlySet<string> {
  const needs = new Set<string>();
  const readsSources = isTest(file) || /^(test|tools|deploy\/image)\//.test(file.path);
  const add = (path: string | null): void => {
    if (path === null) return;
    const name = path.replace(/\/$/, '');
    if (paths.files.has(name)) needs.add(name);
    if (!paths.folders.has(name)) return;
    needs.add(othersIn(name));
    if (readsSources) needs.add(sourcesIn(name));
  };
  const types = typesOnly(file);
  for (const [, , specifier = ''] of file.code.matchAll(SPECIFIER))
    if (!types.has(specifier)) add(resolveImport(file.path, specifier));
  for (const [, path = ''] of file.code.matchAll(PATH)) add(path);
  for (const [, parts = ''] of file.code.matchAll(JOINED)) add(joinedPath(file.path, parts));
  for (const path of UNNAMED[file.path] ?? [])
    for (const needed of [path, sourcesIn(path), othersIn(path)]) needs.add(needed);
  return needs;
}

/** Specifiers of which the file imports types alone. */
function typesOnly({ imports }: SourceFile): ReadonlySet<string> {
  const values = new Set(imports.filter(({ isTypeOnly }) => !isTypeOnly).map(({ from }) => from));
  return new Set(
    imports
      .filter(({ isTypeOnly, from }) => isTypeOnly && !values.has(from))
      .map(({ from }) => from),
  );
}

/** `ROOT_DIR, 'docs', name` → `docs`: what is named before the first value, from the root or from here. */
function joinedPath(path: string, parts: string): string | null {
  const [first = '', ...others] = parts.split(',').map((part) => part.trim());
  const isHere = first === 'import.meta.dirname';
  if (!isHere && !/^'|root/i.test(first)) return null;
  const named = first.startsWith("'") ? [first, ...others] : others;
  const end = named.findIndex((part) => !/^'[^']*'$/.test(part));
  const names = (end === -1 ? named : named.slice(0, end)).map((part) => part.slice(1, -1));
  const joined = join(isHere ? dirname(path) : '.', ...names);
  return joined === '.' ? null : joined;
}
