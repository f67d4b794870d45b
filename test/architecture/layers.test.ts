import { describe, expect, test } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { includedPackages } from './statement-files.ts';
import {
  ROOT_DIR,
  isTest,
  packageOf,
  readSourceFiles,
  workspacePackage,
  type SourceFile,
} from './source-files.ts';

/** Layers from the bottom up; a package may import only packages of lower layers. */
const LAYERS: readonly (readonly string[])[] = [
  ['packages/contracts'],
  [
    'packages/platform',
    'packages/database',
    'packages/api-spec',
    'packages/mail-body',
    'packages/providers',
  ],
  [
    'packages/postgres',
    'packages/http',
    'packages/egress',
    'packages/openapi',
    'packages/validation',
  ],
  ['packages/partitioned-log', 'packages/liquid', 'packages/folds'],
  ['packages/bus', 'packages/user-changes'],
  [
    'packages/accounts',
    'packages/webhook-queue',
    'packages/channel-breakers',
    'packages/link-hits',
    'packages/campaign-drafts',
    'packages/coordination',
  ],
  ['packages/people'],
  ['packages/events', 'packages/delivery'],
  ['packages/campaign-reports', 'packages/segments', 'packages/decisions'],
  [
    'packages/templates',
    'packages/live-segments',
    'packages/automation-schedules',
    'packages/analytics',
  ],
  ['packages/automations'],
  ['packages/automation-reports', 'packages/automation-winners'],
  ['packages/automation-rehearsal'],
  ['packages/user-data'],
  ['packages/testing'],
  [
    'packages/access',
    'packages/channel-worker',
    'packages/chunk-dispatch',
    'packages/ingest-consumer',
    'packages/campaign-intake',
  ],
];

const files = readSourceFiles();
const packages = readdirSync(join(ROOT_DIR, 'packages')).map((name) => `packages/${name}`);

const layerOf = (name: string): number => {
  // The one service that imports services.
  if (name === 'services/all') return LAYERS.length + 1;
  if (name.startsWith('services/') || name === 'web') return LAYERS.length;
  if (name === 'deploy/install' || name === 'deploy/image') return LAYERS.length + 2;
  if (name === 'deploy/local') return LAYERS.length + 3;
  if (name === 'tools') return LAYERS.length + 4;
  if (name === 'test') return LAYERS.length + 5;
  return LAYERS.findIndex((floor) => floor.includes(name));
};

function workspaceImports(file: SourceFile): string[] {
  return file.imports.flatMap(({ from }) => workspacePackage(from) ?? []);
}

describe('layers', () => {
  test('every package has a layer', () => {
    expect(packages.filter((name) => layerOf(name) < 0)).toEqual([]);
  });

  test('a package imports only packages of lower layers, and no service imports a service', () => {
    const upward = files
      .filter((file) => !isTest(file))
      .flatMap((file) =>
        workspaceImports(file)
          .filter(
            (imported) =>
              imported !== packageOf(file.path) &&
              layerOf(imported) >= layerOf(packageOf(file.path)),
          )
          .map((imported) => `${file.path} -> ${imported}`),
      );

    expect(upward).toEqual([]);
  });

  test('SQL includes parts of lower layers', () => {
    const upward = packages.flatMap((name) =>
      includedPackages(name)
        .filter((from) => from === name || layerOf(from) < 0 || layerOf(from) >= layerOf(name))
        .map((from) => `${name} -> ${from}`),
    );

    expect(upward).toEqual([]);
  });

  test('only tests and tools import the testing package', () => {
    const importers = files.filter(
      (file) =>
        !isTest(file) &&
        !/^(?:test|tools)\//.test(file.path) &&
        workspaceImports(file).includes('packages/testing'),
    );

    expect(importers.map((file) => file.path)).toEqual([]);
  });

  test('no relative import leaves its package', () => {
    const leaving = files.flatMap((file) =>
      file.imports
        .filter(
          ({ from }) =>
            from.startsWith('.') &&
            packageOf(normalize(join(dirname(file.path), from))) !== packageOf(file.path),
        )
        .map(({ from }) => `${file.path} -> ${from}`),
    );

    // The installer scripts (plain JavaScript) run before packages can be resolved.
    expect(leaving.filter((edge) => !/\.mjs -> /.test(edge))).toEqual([]);
  });

  test('pages have their components from web/src/ui, not from React Aria or CodeMirror', () => {
    const importers = files.filter(({ imports }) =>
      imports.some(({ from }) =>
        /^(?:react-aria|react-stately|@internationalized|@react-|@codemirror|@lezer)/.test(from),
      ),
    );

    expect(importers.length).toBeGreaterThan(0);
    expect(
      importers
        .map(({ path }) => path)
        .filter((path) => !/^web\/(?:src\/ui\/|vite\.config\.mjs$)/.test(path)),
    ).toEqual([]);
  });

  test('a package exists because at least two others use it', () => {
    const importers = (name: string): Set<string> =>
      new Set(
        files
          .filter((file) => !isTest(file) && workspaceImports(file).includes(name))
          .map((file) => packageOf(file.path)),
      );
    const workers = readdirSync(join(ROOT_DIR, 'services')).filter((name) =>
      name.startsWith('worker-'),
    );
    const lonely = packages.filter(
      (name) =>
        name !== 'packages/testing' &&
        name !== 'packages/channel-worker' &&
        // Built from what the dashboard imports; the dashboard must not import it.
        name !== 'packages/openapi' &&
        // Changes tables of several packages, which none of them may.
        name !== 'packages/user-data' &&
        // The API asks conditions; campaigns to segments are to come.
        name !== 'packages/segments' &&
        // Has a language and an engine of its own; conditions of campaigns are to come.
        name !== 'packages/analytics' &&
        importers(name).size < 2,
    );

    expect(lonely).toEqual([]);
    // These packages exist once per channel worker.
    expect(
      [...importers('packages/channel-worker')]
        .filter((name) => !['test', 'tools'].includes(name))
        .toSorted(),
    ).toEqual(workers.map((name) => `services/${name}`).toSorted());
  });

  test('the dashboard imports only the contracts, the API specification and how a mail is read, and no types of the service', () => {
    const ofPages = ['packages/contracts', 'packages/api-spec', 'packages/mail-body'];
    const isOfService = (from: string): boolean =>
      from.includes('../src/') || !ofPages.includes(workspacePackage(from) ?? 'packages/contracts');
    const taken = files
      .filter((file) => file.path.startsWith('web/'))
      .flatMap((file) =>
        file.imports
          .filter(({ from }) => isOfService(from))
          .map(({ from }) => `${file.path} -> ${from}`),
      );

    expect(taken).toEqual([]);
  });
});
