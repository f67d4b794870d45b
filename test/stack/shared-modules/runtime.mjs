import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { setTestFunctions } from './globals.mjs';

const require = createRequire(import.meta.url);
const GLOBALS_URL = new URL('globals.mjs', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === '@jest/globals'
      ? { url: GLOBALS_URL, format: 'module', shortCircuit: true }
      : nextResolve(specifier, context),
});

/**
 * Replaces `jest-runtime`, which gives each test file a module registry in a VM of its own: here Node
 * loads the files, so that a worker evaluates each module once. It runs `jest-circus` and keeps jest's
 * workers, time limits, reporters and capture of the console. Nothing is transformed or mocked.
 */
export default class SharedRuntime {
  /** The methods that `jest-circus` and `jest-runner` call with a plain configuration. */
  setGlobalsForRuntime(globals) {
    setTestFunctions(globals);
  }

  /** `jest-circus`, new for each file: its state is at its module level. */
  requireInternalModule(path) {
    forgetCircus();
    delete require.cache[path];
    return require(path);
  }

  requireModule(path) {
    return require(path);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    return import(pathToFileURL(path).href);
  }

  getSourceMaps() {
    return null;
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  enterTestCode() {}

  leaveTestCode() {}

  teardown() {
    forgetCircus();
  }
}

/** It keeps its state and its listeners in the global object, each copy of it. */
function forgetCircus() {
  for (const symbol of Object.getOwnPropertySymbols(globalThis))
    if (/^(JEST_STATE_SYMBOL|EVENT_HANDLERS)$/.test(symbol.description ?? ''))
      delete globalThis[symbol];
}
