import { createLogger, systemClock } from '@tidings/platform';
import { SessionLock } from '../session-lock.ts';

/** A process that holds the lock until it is killed. It prints "held". */
const [, , databaseUrl = ''] = process.argv;
const lock = new SessionLock({
  databaseUrl,
  applicationName: 'test-holder',
  lock: 'coordination',
  mode: 'exclusive',
  timers: systemClock,
  logger: createLogger('test-holder', 'silent'),
  onRefused: () => undefined,
  onTaken: () => undefined,
});
await lock.held;
process.stdout.write('held\n');
