import type { ConfigOf, ServiceContext } from '@tidings/platform';
import type { databaseConfig } from '@tidings/postgres/database';
import { SessionLock, type LockMode } from '@tidings/postgres/session-lock';
import type { Coordination } from './coordination.ts';
import { createInProcessCoordination } from './in-process/coordination.ts';
import type { redisConfig } from './redis/client.ts';
import { createRedisCoordination } from './redis/coordination.ts';

export type CoordinationConfig = ConfigOf<typeof redisConfig> &
  Pick<ConfigOf<typeof databaseConfig>, 'databaseUrl'>;
type Context = Pick<ServiceContext, 'logger' | 'clock' | 'ids' | 'shared' | 'end'>;

const REPORT_INTERVAL_MS = 10_000;
/** By the lock that other processes hold: exclusive without Redis, shared with it. */
const REFUSED: Readonly<Record<LockMode, string>> = {
  exclusive:
    'Another Tidings process uses this database without Redis. Set REDIS_URL for all of them, or stop the other.',
  shared:
    'Other Tidings processes use this database with Redis. Set REDIS_URL for this one too, or stop the others.',
};

/**
 * Opens the coordination of this process, or uses the open one of another service in it. With
 * `REDIS_URL` all processes are coordinated. Without it the process is the only one: it waits until
 * no other process uses the database. Call it before the service takes work.
 *
 * The role of the database needs no rights for it. All services of a process use one database.
 */
export async function openCoordination(
  config: CoordinationConfig,
  ctx: Context,
  service: string,
): Promise<Coordination> {
  const { value, release } = ctx.shared.use(`coordination ${config.redisUrl}`, {
    open: () => openForProcess(config, ctx, service),
    close: (opened) => opened.close(),
  });
  try {
    await value.lock.held;
  } catch (error) {
    await release();
    throw error;
  }
  return { ...value.coordination, close: release };
}

type OfProcess = {
  readonly coordination: Coordination;
  readonly lock: SessionLock;
  close(): Promise<void>;
};

function openForProcess(config: CoordinationConfig, ctx: Context, service: string): OfProcess {
  const hasRedis = config.redisUrl !== '';
  const coordination = hasRedis
    ? createRedisCoordination(config, ctx, service)
    : createInProcessCoordination(ctx);
  const lock = takeLock(config, ctx, { service, mode: hasRedis ? 'shared' : 'exclusive' });
  return {
    coordination,
    lock,
    async close() {
      await coordination.close();
      // Last: the next process may start now.
      await lock.release();
    },
  };
}

/** Processes with and without Redis exclude each other. */
function takeLock(
  { databaseUrl }: CoordinationConfig,
  { logger, clock, shared, end }: Context,
  { service, mode }: { readonly service: string; readonly mode: LockMode },
): SessionLock {
  let reportedAt = -Infinity;
  return new SessionLock({
    databaseUrl,
    applicationName: shared.nameOf(`${service}-lock`),
    lock: 'coordination',
    mode,
    timers: clock,
    logger,
    onRefused(held) {
      const now = clock.monotonicMs();
      if (now - reportedAt < REPORT_INTERVAL_MS) return;
      reportedAt = now;
      logger.warn(REFUSED[held]);
    },
    onTaken() {
      logger.error(
        'another Tidings process took the database while the connection was lost, ending',
      );
      end();
    },
  });
}
