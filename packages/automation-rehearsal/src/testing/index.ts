export { createAutomation, withoutRecheck } from './agreement/definitions.ts';
export { createHistory, HOUR_MS, type Person } from './agreement/history.ts';
export { byPlace, evaluate, type FoundBranch, type PlainRun } from './agreement/plain.ts';
export { toPlain } from './agreement/to-plain.ts';
