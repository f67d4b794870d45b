export {
  AGREED_SEGMENTS,
  createAutomation,
  withoutRecheck,
  type Words,
} from './agreement/definitions.ts';
export { createHistory, HOUR_MS, type Deed, type Person } from './agreement/history.ts';
export { QUIET, type FoundBranch } from './agreement/facts.ts';
export { byPlace, evaluate, type PlainRun } from './agreement/plain.ts';
export { toPlain } from './agreement/to-plain.ts';
export { cart, mail } from './samples.ts';
