import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** `jest-circus` reads the time limit of a file's tests there. */
const TEST_TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');

/**
 * The object `jest` of one test file, as far as this repository uses it. `undo` takes back what the
 * file left: mocks, clocks and its time limit.
 */
export function createJestObject(projectConfig) {
  const mocker = new ModuleMocker(globalThis);
  const timers = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  const jest = {
    fn: (implementation) => mocker.fn(implementation),
    spyOn: (...args) => mocker.spyOn(...args),
    restoreAllMocks: () => {
      mocker.restoreAllMocks();
      return jest;
    },
    useFakeTimers: (options) => {
      timers.useFakeTimers(options);
      return jest;
    },
    useRealTimers: () => {
      timers.useRealTimers();
      return jest;
    },
    advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
    setTimeout: (ms) => {
      globalThis[TEST_TIMEOUT] = ms;
      return jest;
    },
  };
  return {
    jest: new Proxy(jest, { get: (target, name) => target[name] ?? throwMissing(name) }),
    undo() {
      mocker.restoreAllMocks();
      timers.dispose();
      delete globalThis[TEST_TIMEOUT];
    },
  };
}

function throwMissing(name) {
  throw new Error(
    `jest.${String(name)} is not in test/stack/shared-modules/jest-object.mjs. What needs a module registry of each file cannot be there.`,
  );
}
