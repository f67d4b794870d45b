import { dirname } from 'node:path';
import {
  isTest,
  packageOf,
  readSourceFiles,
  type SourceFile,
} from '../architecture/source-files.ts';
import { loadedBy } from '../architecture/loaded-by.ts';
import { listFiles } from './changed-files.ts';
import { needsOfFile, othersIn, sourcesIn, type Paths } from './file-needs.ts';
import { readProjects, type Project } from './projects.ts';

/** The tests that a change can reach. */
export type Affected = {
  /** Why each test runs: the files from the changed one to the test. */
  readonly tests: ReadonlyMap<string, readonly string[]>;
  /** The changed file because of which everything runs, if there is one. */
  readonly everythingBecauseOf: string | null;
  /** The dashboard's pages are among what it reaches. */
  readonly reachesPages: boolean;
};

/** What runs tests: every test may depend on it. */
const RUNNER = ['test/run.mjs', 'test/jest.config.mjs'];
const IS_SOURCE = /^(packages|services|web|deploy|test|tools)\/.*\.(ts|tsx|mts|mjs)$/;
/** Read by programs at their start, which does not depend on what it says. */
const IS_TEXT = /\.md$|^(docs|helm)\//;
/** Of the packages' dependencies and settings. */
const IS_SETTING = /(^|\/)(package\.json|pnpm-[a-z]+\.yaml|tsconfig[^/]*\.json)$/;
/** Unit tests that read all files, or compare documents with much of the code. */
const COMPARES_ALL = /^test\/(architecture|generated)\//;
const READS_ALL = /ls-files|globSync|\/source-files\.ts'/;
/** It names folders, but reads all files. */
const READER_OF_ALL = 'test/architecture/source-files.ts';

/** The checkout as a graph of files. */
export type Graph = {
  readonly files: ReadonlyMap<string, SourceFile>;
  readonly projects: readonly Project[];
  /** By file or folder: the files that need it. */
  readonly neededBy: ReadonlyMap<string, readonly string[]>;
  readonly runner: ReadonlySet<string>;
};

/** @param changed files that may be gone */
export function readGraph(changed: readonly string[] = []): Graph {
  const sources = readSourceFiles();
  const paths = pathsOf([...listFiles(), ...changed]);
  const projects = readProjects();
  const neededBy = new Map<string, string[]>();
  const add = (needed: string, path: string): void =>
    void neededBy.set(needed, [...(neededBy.get(needed) ?? []), path]);
  const files = new Map(sources.map((file) => [file.path, file]));
  const runner = loadedBy(RUNNER, files);
  for (const file of sources) {
    // The runner names what it starts, which is not part of it.
    if (runner.has(file.path) || file.path === READER_OF_ALL) continue;
    for (const needed of needsOfFile(file, paths)) add(needed, file.path);
    for (const needed of projectOf(file.path, projects)?.needs ?? []) add(needed, file.path);
  }
  return { files, projects, neededBy, runner };
}

/** A file, and the file from which it is reached. */
type Step = readonly [path: string, from: string | null];

/** Prefers a test too many to one too few. */
export function findAffected(changed: readonly string[], graph: Graph): Affected {
  const { files, projects } = graph;
  const tests = [...files.values()].filter((file) => projectOf(file.path, projects) !== null);
  const reached = new Map<string, string | null>();
  const allBecauseOf = (path: string): Affected => ({
    tests: new Map(tests.map(({ path: test }) => [test, [path]])),
    everythingBecauseOf: path,
    reachesPages: true,
  });
  for (const path of changed) {
    if (IS_SETTING.test(path) || graph.runner.has(path)) return allBecauseOf(path);
    const starts = startsOf(path, graph);
    if (starts.length === 0 && !IS_TEXT.test(path)) return allBecauseOf(path);
    reach(starts, graph, reached);
  }
  return {
    tests: new Map(
      tests.flatMap(({ path, text }): (readonly [string, readonly string[]])[] => {
        if (reached.has(path)) return [[path, chainTo(path, reached)]];
        const readsAll = COMPARES_ALL.test(path) || READS_ALL.test(text);
        const isUnit = projectOf(path, projects)?.name === 'unit';
        return changed.length > 0 && isUnit && readsAll ? [[path, ['all files', path]]] : [];
      }),
    ),
    everythingBecauseOf: null,
    reachesPages: [...reached.keys()].some((path) => path.startsWith('web/')),
  };
}

/** The files that a changed file reaches first; none if nothing is known to read it. */
function startsOf(path: string, { files, neededBy }: Graph): readonly Step[] {
  if (IS_SOURCE.test(path)) return [[path, null]];
  const folders = foldersOf(path).filter((folder) => !['test', 'tools'].includes(folder));
  const readers = [path, ...folders.map(othersIn)].flatMap((needed) => neededBy.get(needed) ?? []);
  const all = [...files.keys()];
  const reached = IS_TEXT.test(path)
    ? // Of code that reads it, the tests beside it, and not those of all that imports it.
      readers.flatMap((reader) =>
        isProduct(reader)
          ? all.filter((test) => test.endsWith('.test.ts') && dirname(test) === dirname(reader))
          : [reader],
      )
    : // A statement, a page or a style: any file of its package may read it.
      [
        ...readers,
        ...(['test', 'tools'].includes(packageOf(path))
          ? []
          : all.filter((file) => packageOf(file) === packageOf(path))),
      ];
  return reached.map((reader) => [reader, path] as const);
}

const isProduct = (path: string): boolean =>
  /^(packages|services|deploy\/(install|local))\//.test(path) && !isTest({ path });

/** Adds what the starts reach to `reached`, with the file from which each is reached. */
function reach(
  starts: readonly Step[],
  { neededBy }: Graph,
  reached: Map<string, string | null>,
): void {
  const pending = [...starts];
  // In order of distance, so that the reason is a short one.
  for (const [next, via] of pending) {
    if (reached.has(next)) continue;
    reached.set(next, via);
    const folders = next.endsWith('.test.ts') ? [] : foldersOf(next).map(sourcesIn);
    for (const needed of [next, ...folders])
      for (const reader of neededBy.get(needed) ?? []) pending.push([reader, next]);
  }
}

function chainTo(path: string, reached: ReadonlyMap<string, string | null>): readonly string[] {
  const chain = [path];
  for (let from = reached.get(path); from != null; from = reached.get(from)) chain.unshift(from);
  return chain;
}

/** The project that a test file belongs to, by its name; null: it is not a test. */
export function projectOf(path: string, projects: readonly Project[]): Project | null {
  if (!path.endsWith('.test.ts')) return null;
  return (
    projects.find(({ name }) => path.endsWith(`.${name}.test.ts`)) ??
    projects.find(({ name }) => name === 'unit') ??
    null
  );
}

/** `packages/people/src` and the folders above it, except the root. */
function foldersOf(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
}

function pathsOf(all: readonly string[]): Paths {
  return { files: new Set(all), folders: new Set(all.flatMap(foldersOf)) };
}
