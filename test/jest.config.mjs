import { join } from 'node:path';

/**
 * Test files of a worker share its modules: to load them anew for each file takes two thirds of the
 * run. `--isolated` gives each file its own, and so shows modules that keep state. Both know `@needs`.
 */
const modules =
  process.env.TEST_ISOLATED === 'true'
    ? { testEnvironment: '<rootDir>/test/stack/test-environment.mjs' }
    : {
        testEnvironment: '<rootDir>/test/stack/shared-modules/environment.mjs',
        runtime: '<rootDir>/test/stack/shared-modules/runtime.mjs',
      };

const common = {
  rootDir: join(import.meta.dirname, '..'),
  ...modules,
  // Node strips the types itself; jest transforms nothing.
  transform: {},
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  modulePathIgnorePatterns: ['<rootDir>/.tidings/'],
};

export default {
  workerIdleMemoryLimit: '1GB',
  maxWorkers: 2,
  testSequencer: join(import.meta.dirname, 'stack', 'file-order.mjs'),
  // Ends a test that hangs. No test measures time by it: 5 s, the default, is too short on a busy machine.
  testTimeout: 30_000,
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['<rootDir>/{packages,services,deploy,test,tools,web}/**/*.test.ts'],
      testPathIgnorePatterns: [
        '/node_modules/',
        '\\.(integration|browser|e2e|faults)\\.test\\.ts$',
      ],
    },
    {
      ...common,
      displayName: 'integration',
      testMatch: ['<rootDir>/{packages,services,deploy,test}/**/*.integration.test.ts'],
      globalSetup: '<rootDir>/test/stack/global-setup.ts',
      globalTeardown: '<rootDir>/test/stack/global-teardown.ts',
    },
    {
      ...common,
      displayName: 'browser',
      testMatch: ['<rootDir>/test/browser/**/*.browser.test.ts'],
    },
    {
      ...common,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/e2e/**/*.e2e.test.ts'],
      globalSetup: '<rootDir>/test/stack/global-setup-e2e.ts',
      globalTeardown: '<rootDir>/test/stack/global-teardown-e2e.ts',
    },
    {
      ...common,
      displayName: 'faults',
      testMatch: ['<rootDir>/test/e2e/**/*.faults.test.ts'],
    },
  ],
};
