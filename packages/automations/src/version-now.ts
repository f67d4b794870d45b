import type { ConditionContext } from '@tidings/segments/condition-context';
import type { Program } from './program.ts';
import type { RunningAutomation } from './runs-due.ts';

/** One version of an automation, at one moment. */
export type VersionNow = {
  readonly automation: RunningAutomation;
  readonly program: Program;
  readonly version: number;
  readonly context: ConditionContext;
  /** Milliseconds. */
  readonly now: number;
};
