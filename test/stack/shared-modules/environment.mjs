import { applyNeeds, skipAll } from '../apply-needs.mjs';
import { setJestObject } from './globals.mjs';
import { createJestObject } from './jest-object.mjs';

/**
 * The environment of a test file that shares its process, and so its modules, with other files. What a
 * file changes in the process is as before when the next one begins: environment variables, mocks,
 * clocks, the time limit, the console.
 */
export default class SharedEnvironment {
  global = globalThis;
  #env = { ...process.env };
  #console = globalThis.console;
  #exit = process.exit;
  #jestObject;
  #isLeftOut;

  constructor({ projectConfig }, { testPath }) {
    this.#jestObject = createJestObject(projectConfig);
    this.#isLeftOut = applyNeeds(testPath, process.env);
  }

  async setup() {
    setJestObject(this.#jestObject.jest);
  }

  handleTestEvent({ name }, { rootDescribeBlock }) {
    if (name === 'setup' && this.#isLeftOut) skipAll(rootDescribeBlock);
  }

  async teardown() {
    this.#jestObject.undo();
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name];
    Object.assign(process.env, this.#env);
    process.exit = this.#exit;
    globalThis.console = this.#console;
  }

  /** Test files run in the realm of their process. */
  getVmContext() {
    return null;
  }
}
