import { readFileSync } from 'node:fs';
import { needsOf } from './needs.mjs';

const ADDRESS = { kafka: 'KAFKA_BROKERS', redis: 'REDIS_URL' };

/**
 * Whether a test file needs what this run does not have: see `needs.mjs`. A file without `@needs` gets
 * no address of a store even if there is one, so a run with everything shows a forgotten `@needs`.
 * `TEST_NEEDS` tells the file's helpers what it may start. Changes `env`, the file's environment.
 */
export function applyNeeds(testPath, env) {
  const needs = needsOf(readFileSync(testPath, 'utf8'));
  const absent = (env.TEST_WITHOUT ?? '').split(' ');
  env.TEST_NEEDS = needs.join(' ');
  for (const [store, name] of Object.entries(ADDRESS)) if (!needs.includes(store)) delete env[name];
  return needs.some((need) => absent.includes(need));
}

/**
 * Skips all tests of a file. Call it before the file is loaded, at the event `setup`, since each block
 * takes the mode of its parent. Hooks of skipped blocks do not run.
 */
export function skipAll(rootDescribeBlock) {
  rootDescribeBlock.mode = 'skip';
}
