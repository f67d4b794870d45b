import { TestEnvironment } from 'jest-environment-node';
import { applyNeeds, skipAll } from './apply-needs.mjs';

/** Modules of each file's own, and `@needs`. */
export default class StoresEnvironment extends TestEnvironment {
  #isLeftOut;

  constructor(config, context) {
    super(config, context);
    this.#isLeftOut = applyNeeds(context.testPath, this.global.process.env);
  }

  handleTestEvent({ name }, { rootDescribeBlock }) {
    if (name === 'setup' && this.#isLeftOut) skipAll(rootDescribeBlock);
  }
}
