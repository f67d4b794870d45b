import { readFileSync } from 'node:fs';
import { TestEnvironment } from 'jest-environment-node';
import { needsOf } from './needs.mjs';

const ADDRESS = { kafka: 'KAFKA_BROKERS', redis: 'REDIS_URL' };

/**
 * Skips all tests of a file that needs what this run does not have: see `needs.mjs`. A file without
 * `@needs` gets no address of a store even if there is one, so a run with everything shows a forgotten
 * `@needs`. `TEST_NEEDS` tells the file's helpers what it may start.
 */
export default class StoresEnvironment extends TestEnvironment {
  #isLeftOut;

  constructor(config, context) {
    super(config, context);
    const needs = needsOf(readFileSync(context.testPath, 'utf8'));
    const absent = (process.env['TEST_WITHOUT'] ?? '').split(' ');
    this.#isLeftOut = needs.some((need) => absent.includes(need));
    const { env } = this.global.process;
    env['TEST_NEEDS'] = needs.join(' ');
    for (const [store, name] of Object.entries(ADDRESS))
      if (!needs.includes(store)) delete env[name];
  }

  handleTestEvent({ name }, { rootDescribeBlock }) {
    // Before the file is loaded, since each block takes the mode of its parent. Hooks of skipped blocks
    // do not run.
    if (name === 'setup' && this.#isLeftOut) rootDescribeBlock.mode = 'skip';
  }
}
