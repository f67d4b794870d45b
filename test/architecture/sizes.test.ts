import { describe, expect, test } from '@jest/globals';
import { readSourceFiles } from './source-files.ts';
import { linesByFolder, readStructure } from './structure.ts';

const PACKAGE_LINES_MAX = 5_000;
const FOLDER_LINES_MAX = 3_000;
/**
 * `api-spec` and `contracts` are data: each endpoint and each language adds to them.
 * `services/api` grows by routes, each in its folder.
 * `web` grows by pages and their components, each in its folder: funnels, trends, retention, and the
 * words, notices and keys of the editor of automations and of these pages are the latest.
 */
const LINES_MAX = {
  'services/api': 14_500,
  web: 38_500,
  'packages/api-spec': 9_500,
  'packages/contracts': 7_500,
} as const;

const ROUTES = 'services/api/src/routes';

const files = readSourceFiles();
const structure = readStructure(files);

describe('sizes, in product lines as formatted', () => {
  test(`no package has more than ${PACKAGE_LINES_MAX}`, () => {
    const packages = structure.filter(
      ({ name }) => name.startsWith('packages/') && !(name in LINES_MAX),
    );

    expect(packages.length).toBeGreaterThan(10);
    expect(
      packages
        .filter(({ lines }) => lines > PACKAGE_LINES_MAX)
        .map(({ name, lines }) => `${name}: ${lines}`),
    ).toEqual([]);
  });

  test.each(Object.entries(LINES_MAX))('%s has at most %i', (of, linesMax) => {
    const lines = structure.find(({ name }) => name === of)?.lines ?? 0;

    expect(lines).toBeGreaterThan(1_000);
    expect(lines).toBeLessThanOrEqual(linesMax);
  });

  test.each([ROUTES.slice(0, ROUTES.lastIndexOf('/')), ROUTES, 'web/src/pages'])(
    `no folder of %s has more than ${FOLDER_LINES_MAX}`,
    (parent) => {
      const folders = [...linesByFolder(files, parent)].filter(
        // Its folders are looked at one by one.
        ([name]) => `${parent}/${name}` !== ROUTES,
      );

      expect(folders.length).toBeGreaterThan(5);
      expect(folders.filter(([, lines]) => lines > FOLDER_LINES_MAX)).toEqual([]);
    },
  );
});
