import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { AutomationStatus } from '@tidings/contracts/automations/runs';

/** An automation that has just been changed, for what knows when it enters people. */
export type ChangedAutomation = {
  readonly id: string;
  readonly status: AutomationStatus;
  readonly live: AutomationDefinition | null;
  /** Milliseconds. */
  readonly activatedAt: number | null;
};
