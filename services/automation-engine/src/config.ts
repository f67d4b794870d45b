import { busConfig } from '@tidings/bus';
import { flag, integer, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { databaseConfig } from '@tidings/postgres/database';

export const automationEngineConfig = {
  ...busConfig,
  ...databaseConfig,
  automationsPaused: flag(
    'AUTOMATIONS_PAUSED',
    'Whether automations wait: no one enters, and no run goes on. For the time after a restore.',
    { default: false },
  ),
  automationPollMs: integer(
    'AUTOMATION_POLL_MS',
    'Interval between two looks for changes of people and for due timers of automations, in milliseconds. While there is work it is a quarter.',
    { default: 200, min: 20, max: 10_000 },
  ),
} as const satisfies ConfigSpec;
export type AutomationEngineConfig = ConfigOf<typeof automationEngineConfig>;
