export { createCondition } from './create-condition.ts';
export { DEFINITIONS, SEGMENTS, someAttributes } from './create-population.ts';
export { createRandom } from './random.ts';
export { DURATION_MS, PLANS } from './values.ts';
