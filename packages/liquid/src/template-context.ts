import type { TriggerEvent } from '@tidings/contracts/automations/trigger-event';

/** What the texts of an automation may show besides the user. */
export type TemplateContext = {
  /** The event that began the run; null: none did. */
  readonly event: TriggerEvent | null;
  readonly run: TemplateRun;
};

export type TemplateRun = {
  readonly id: string;
  /** Milliseconds. */
  readonly enteredAt: number;
};
