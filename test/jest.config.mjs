import { join } from 'node:path';

const common = {
  rootDir: join(import.meta.dirname, '..'),
  testEnvironment: 'node',
  // Node strips the types itself; jest transforms nothing.
  transform: {},
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  modulePathIgnorePatterns: ['<rootDir>/.tidings/'],
};

/**
 * Test files of a worker share its modules: to load them anew for each file takes two thirds of the
 * run. `--isolated` gives each file its own, and so shows modules that keep state.
 */
const sharedModules =
  process.env.TEST_ISOLATED === 'true'
    ? {}
    : {
        testEnvironment: '<rootDir>/test/stack/shared-modules/environment.mjs',
        runtime: '<rootDir>/test/stack/shared-modules/runtime.mjs',
      };

/** These files say what they need besides Node. */
const withNeeds = {
  ...common,
  testEnvironment: '<rootDir>/test/stack/test-environment.mjs',
};

export default {
  workerIdleMemoryLimit: '512MB',
  maxWorkers: 2,
  // Ends a test that hangs. No test measures time by it: 5 s, the default, is too short on a busy machine.
  testTimeout: 30_000,
  projects: [
    {
      ...common,
      ...sharedModules,
      displayName: 'unit',
      testMatch: ['<rootDir>/{packages,services,deploy,test,web}/**/*.test.ts'],
      testPathIgnorePatterns: [
        '/node_modules/',
        '\\.(integration|browser|e2e|faults)\\.test\\.ts$',
      ],
    },
    {
      ...withNeeds,
      ...sharedModules,
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
      ...withNeeds,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/e2e/**/*.e2e.test.ts'],
      globalSetup: '<rootDir>/test/stack/global-setup-e2e.ts',
      globalTeardown: '<rootDir>/test/stack/global-teardown-e2e.ts',
    },
    {
      ...withNeeds,
      displayName: 'faults',
      testMatch: ['<rootDir>/test/e2e/**/*.faults.test.ts'],
    },
  ],
};
