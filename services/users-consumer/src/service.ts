import { kafkaBusFrom } from '@tidings/bus';
import { startIngestConsumer } from '@tidings/ingest-consumer';
import { renewPhoneNumbers } from '@tidings/people/phone-renewals';
import { repeat, type Logger, type Service, type ServiceContext } from '@tidings/platform';
import { databaseFrom, type Database } from '@tidings/postgres/database';
import { untilMigrated } from '@tidings/postgres/schema-version';
import { applyUserMessages } from './apply-user-messages.ts';
import type { UsersConsumerConfig } from './config.ts';

const RENEWAL_INTERVAL_MS = 2_000;
const USERS_PER_STEP = 500;

export async function startUsersConsumer(
  config: UsersConsumerConfig,
  ctx: ServiceContext,
): Promise<Service> {
  const { logger, end } = ctx;
  const bus = kafkaBusFrom(config, { service: 'users-consumer', logger, onWedged: end });
  const db = databaseFrom(config, 'users-consumer');
  await untilMigrated(db, logger);

  const consumer = await startIngestConsumer(
    { bus, db, ...ctx },
    { consumer: 'users', group: 'users-consumer', kinds: ['user'], apply: applyUserMessages },
  );
  const stopping = new AbortController();
  const renewing = keepPhoneNumbers(db, logger, stopping.signal);
  return {
    ...consumer,
    async stopIntake() {
      stopping.abort();
      await Promise.all([consumer.stopIntake(), renewing]);
    },
  };
}

/** Renews the E.164 forms of phone numbers of applications whose default country has changed. */
function keepPhoneNumbers(db: Database, logger: Logger, signal: AbortSignal): Promise<void> {
  const renew = async (): Promise<void> => {
    while (!signal.aborted && (await renewPhoneNumbers(db, USERS_PER_STEP)));
  };
  return repeat(RENEWAL_INTERVAL_MS, renew, {
    signal,
    onError: (error) => logger.warn({ err: error }, 'phone numbers not renewed, tried again soon'),
  });
}
