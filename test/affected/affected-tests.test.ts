import { describe, expect, test } from '@jest/globals';
import { findAffected, projectOf, readGraph } from './affected-tests.ts';
import { checksFor } from './checks.ts';
import { readProjects } from './projects.ts';

const graph = readGraph();
const ALL = [...graph.files.keys()].filter((path) => projectOf(path, graph.projects) !== null);

const isOf = (path: string, ...names: string[]): boolean =>
  names.includes(projectOf(path, graph.projects)?.name ?? '');
const affectedBy = (...changed: string[]) => findAffected(changed, graph);
const testsOf = (...changed: string[]): readonly string[] => [
  ...affectedBy(...changed).tests.keys(),
];
const missedBy = (tests: readonly string[], names: readonly string[]): readonly string[] =>
  ALL.filter((path) => isOf(path, ...names) && !tests.includes(path));

describe('a change of', () => {
  test('a source reaches the tests that import it, also through others, and by far not all', () => {
    const tests = testsOf('packages/liquid/src/compile-text.ts');

    expect(tests).toEqual(
      expect.arrayContaining([
        'packages/liquid/src/render.test.ts',
        'services/api/src/access.integration.test.ts',
        'test/e2e/one-process.e2e.test.ts',
      ]),
    );
    expect(tests).not.toContain('packages/bus/src/kafkajs-record.property.test.ts');
    expect(tests.length).toBeLessThan(ALL.length / 2);
  });

  test('a service reaches every test of whole installations', () => {
    const tests = testsOf('services/scheduler/src/service.ts');

    expect(missedBy(tests, ['e2e', 'faults'])).toEqual([]);
    // It starts a program that loads all services.
    expect(tests.filter((path) => isOf(path, 'integration', 'browser'))).toEqual([
      'services/gateway/src/first-requests.integration.test.ts',
    ]);
  });

  test('a page reaches the browser and the end-to-end tests, and nothing with a database besides', () => {
    const { tests, reachesPages } = affectedBy('web/src/app.tsx');
    const paths = [...tests.keys()];

    expect(missedBy(paths, ['browser', 'e2e'])).toEqual([]);
    expect(paths.filter((path) => isOf(path, 'integration', 'faults'))).toEqual([]);
    expect(reachesPages).toBe(true);
  });

  test('a migration reaches everything with a database', () => {
    const tests = testsOf('packages/database/migrations/99_new.sql');

    expect(missedBy(tests, ['integration', 'e2e', 'faults'])).toEqual([]);
    expect(tests).toContain('test/migrations/online-rule.test.ts');
    expect(tests.length).toBeLessThan(ALL.length);
  });

  test('a statement reaches what any module of its package reaches', () => {
    const tests = testsOf('packages/segments/src/sql/archive-segment.sql');

    expect(tests).toEqual(
      expect.arrayContaining([
        ...ALL.filter((path) => path.startsWith('packages/segments/')),
        ...testsOf('packages/segments/src/segments.ts'),
      ]),
    );
    expect(tests.length).toBeLessThan(ALL.length);
  });

  test('several files reaches what each of them reaches', () => {
    const statement = 'packages/segments/src/sql/archive-segment.sql';
    const other = 'packages/segments/src/sql/another.sql';
    const page = 'web/src/app.tsx';
    const { tests, everythingBecauseOf } = affectedBy(statement, other, page);

    expect(everythingBecauseOf).toBeNull();
    expect(new Set(tests.keys())).toEqual(new Set([...testsOf(statement), ...testsOf(page)]));
  });

  test('a test reaches itself, and those that read all files', () => {
    const tests = testsOf('packages/liquid/src/render.test.ts');

    expect(tests).toContain('packages/liquid/src/render.test.ts');
    expect(tests).toContain('test/architecture/needs.test.ts');
    expect(tests.filter((path) => !isOf(path, 'unit'))).toEqual([]);
    expect(tests.length).toBeLessThan(40);
  });

  test('the chart reaches its tests', () => {
    const tests = testsOf('helm/tidings/templates/workloads.yaml');

    expect(
      ALL.filter((path) => /^test\/(chart|generated)\//.test(path) && !tests.includes(path)),
    ).toEqual([]);
    expect(tests.filter((path) => isOf(path, 'integration', 'browser', 'faults'))).toEqual([]);
    // It names the services, which an installation starts.
    expect(missedBy(testsOf('helm/tidings/values.yaml'), ['faults'])).toEqual([]);
  });

  test('a document reaches the tests that read it', () => {
    const tests = testsOf('docs/guides/channels.md');

    expect(tests).toEqual(
      expect.arrayContaining([
        'test/architecture/prose.test.ts',
        'test/architecture/links.test.ts',
        'test/generated/documents.test.ts',
        'services/api/src/docs/guides.test.ts',
        'test/e2e/guides.e2e.test.ts',
      ]),
    );
    expect(tests.filter((path) => isOf(path, 'integration', 'browser', 'faults'))).toEqual([]);
    expect(tests.length).toBeLessThan(60);
  });

  test('a file of an installation reaches its tests', () => {
    expect(testsOf('deploy/compose.yaml')).toContain('test/chart/compose.test.ts');
    expect(testsOf('deploy/image/Dockerfile')).toContain('test/e2e/image.e2e.test.ts');
    expect(missedBy(testsOf('deploy/local/pom.xml'), ['integration', 'faults'])).toEqual([]);
  });

  test('what all tests of a project start with reaches all of them', () => {
    expect(missedBy(testsOf('test/stack/global-setup.ts'), ['integration'])).toEqual([]);
    // Which of the two ways of loading modules this run has: jest.config.mjs.
    const started = testsOf(
      process.env['TEST_ISOLATED'] === undefined
        ? 'test/stack/shared-modules/runtime.mjs'
        : 'test/stack/test-environment.mjs',
    );
    expect(missedBy(started, ['unit', 'integration', 'browser', 'e2e', 'faults'])).toEqual([]);
  });

  test.each([
    'package.json',
    'packages/people/package.json',
    'pnpm-lock.yaml',
    'tsconfig.json',
    'test/jest.config.mjs',
    'test/parts.mjs',
    'deploy/local/bootstrap.mjs',
    'LICENSE',
    'a-new-folder/data.bin',
  ])(
    'a setting, the runner, or a file that nothing is known to read, reaches everything: %s',
    (path) => {
      const { tests, everythingBecauseOf } = affectedBy('docs/README.md', path);

      expect(everythingBecauseOf).toBe(path);
      expect(tests.size).toBe(ALL.length);
    },
  );

  test('nothing reaches nothing', () => {
    expect(testsOf()).toEqual([]);
  });
});

test('a reason leads from the changed file to the test, by files that need each other', () => {
  const changed = 'packages/liquid/src/compile-text.ts';
  const reasons = [...affectedBy(changed).tests].filter(([, [first]]) => first !== 'all files');

  expect(reasons.length).toBeGreaterThan(50);
  for (const [path, why] of reasons) {
    expect(why[0]).toBe(changed);
    expect(why.at(-1)).toBe(path);
  }
});

test('each test belongs to a project of the configuration', () => {
  const sizes = graph.projects.map(({ name }) => ALL.filter((path) => isOf(path, name)).length);

  expect(graph.projects.map(({ name }) => name)).toContain('unit');
  expect(sizes.every((size) => size > 5)).toBe(true);
});

test('all tests of a project need what its configuration names, except patterns', () => {
  const projects = readProjects({
    projects: [
      {
        displayName: 'integration',
        runner: '<rootDir>/test/runner.mjs',
        testMatch: ['<rootDir>/packages/**/*.test.ts'],
      },
    ],
  });

  expect(projects).toEqual([{ name: 'integration', needs: ['test/runner.mjs'] }]);
});

test.each([
  [['packages/people/src/users.ts'], { reachesPages: false }, ['types', 'lint', 'format']],
  [['web/src/app.tsx'], { reachesPages: true }, ['types', 'lint', 'format', 'size']],
  [['docs/README.md'], { reachesPages: false }, ['format']],
  [[], { reachesPages: false }, []],
  [
    ['.oxlintrc.json'],
    { reachesPages: true, everythingBecauseOf: '.oxlintrc.json' },
    ['types', 'lint', 'format', 'size'],
  ],
])('the checks of a change of %j', (changed, affected, checks) => {
  expect(checksFor(changed, { everythingBecauseOf: null, ...affected })).toEqual(checks);
});
