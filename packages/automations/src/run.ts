import type { RunStatus } from '@tidings/contracts/automations/runs';
import type { EventPlace } from '@tidings/segments/person-events';

/** A run, as its next step needs it. Times are in milliseconds. */
export type Run = {
  readonly id: string;
  readonly applicationId: string;
  readonly automationId: string;
  readonly version: number;
  readonly userId: string;
  readonly customUserId: string;
  readonly shard: number;
  readonly node: string | null;
  readonly waitsUntil: number | null;
  readonly enteredAt: number;
  readonly trigger: EventPlace & {
    readonly requestId: string | null;
    readonly messageIndex: number | null;
  };
  readonly data: Readonly<Record<string, unknown>> | null;
  /** Until the profile that came with its event is stored. */
  readonly settlesUntil: number | null;
  /** Whether that has been stored. */
  readonly isSettled: boolean;
  readonly skipsSends: boolean;
  /** Someone takes the person out. */
  readonly endRequested: boolean;
  readonly failures: number;
  readonly lastSentAt: number | null;
  readonly lines: number;
  readonly status: RunStatus;
  readonly endedAt: number | null;
  readonly goalUntil: number | null;
};
