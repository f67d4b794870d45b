import type { AutomationEntry } from '@tidings/contracts/automations/definition';
import { LIMITS } from '@tidings/contracts/limits';
import { toMs } from '@tidings/segments/durations';

/** What a person did in an automation before, with one key. */
export type Earlier = {
  readonly now: number;
  /** Whether the application may have further runs. */
  readonly hasRoom: boolean;
  readonly isRunning: boolean;
  /** Of all keys. */
  readonly runs: number;
  /** Milliseconds. */
  readonly lastEntered: number | null;
};

/** Why a person may not enter again; null: they may. */
export function refusalOf(
  { again, after }: AutomationEntry,
  { now, hasRoom, isRunning, runs, lastEntered }: Earlier,
): 're_entry' | 'capacity' | null {
  if (isRunning) return 're_entry';
  if (lastEntered !== null && again === 'never') return 're_entry';
  if (lastEntered !== null && again === 'after' && now - lastEntered < toMs(after ?? '0m'))
    return 're_entry';
  return hasRoom && runs < LIMITS.automationRunsOfPersonMax ? null : 'capacity';
}
