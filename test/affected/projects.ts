import { join } from 'node:path';
import { ROOT_DIR } from '../architecture/source-files.ts';
import { sourcesIn, othersIn } from './file-needs.ts';

/** A project of jest's configuration. */
export type Project = {
  readonly name: string;
  /** What all its tests need: set-up, environment, runner. */
  readonly needs: readonly string[];
};

type JestConfig = {
  readonly projects: readonly (Readonly<Record<string, unknown>> & {
    readonly displayName: string;
  })[];
};

/** Bundles that the tests of a project open; the run builds them first. */
const BUNDLES: Readonly<Record<string, readonly string[]>> = {
  browser: ['web', 'services/client-api/browser-sdk'],
  e2e: ['web', 'services/client-api/browser-sdk'],
};

const { default: config } = (await import(join(ROOT_DIR, 'test', 'jest.config.mjs'))) as {
  readonly default: JestConfig;
};

/** The projects of jest's configuration, with the files that each one names. */
export function readProjects({ projects }: JestConfig = config): readonly Project[] {
  return projects.map((project) => {
    const named = JSON.stringify(project).matchAll(/"<rootDir>\/([^"*{}]+)"/g);
    const bundles = BUNDLES[project.displayName] ?? [];
    return {
      name: project.displayName,
      needs: [
        ...[...named].map(([, path = '']) => path),
        ...bundles.flatMap((folder) => [sourcesIn(folder), othersIn(folder)]),
      ],
    };
  });
}
