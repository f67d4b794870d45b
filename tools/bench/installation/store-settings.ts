import type { Database } from '@tidings/postgres/database';
import { Kafka, logLevel } from 'kafkajs';

/** Durability settings of Postgres and Kafka; without them figures cannot be compared. */
export type StoreSettings = {
  readonly postgres: Readonly<Record<string, string>>;
  /** Empty without Kafka. */
  readonly kafka: Readonly<Record<string, string>>;
};

const POSTGRES_SETTINGS = [
  'fsync',
  'full_page_writes',
  'synchronous_commit',
  'shared_buffers',
  'max_wal_size',
  'wal_compression',
] as const;
const KAFKA_SETTINGS = [
  'log.flush.interval.messages',
  'log.flush.interval.ms',
  'min.insync.replicas',
] as const;
/** `ConfigResourceTypes.BROKER` of kafkajs is a const enum, which cannot be imported. */
const BROKER = 4;
/** Every producer uses it, as produce-acks.integration.test.ts verifies. */
const ACKS = { acks: 'all' };

export async function readStoreSettings(
  db: Database,
  kafkaBrokers: string,
): Promise<StoreSettings> {
  const postgres = await Promise.all(
    POSTGRES_SETTINGS.map(async (name) => [name, await readSetting(db, name)] as const),
  );
  return {
    postgres: Object.fromEntries(postgres),
    kafka: kafkaBrokers === '' ? {} : { ...ACKS, ...(await readBrokerSettings(kafkaBrokers)) },
  };
}

async function readSetting(db: Database, name: string): Promise<string> {
  const { rows } = await db.sql.query<{ value: string }>('select current_setting($1) as value', [
    name,
  ]);
  return rows[0]?.value ?? 'unknown';
}

async function readBrokerSettings(kafkaBrokers: string): Promise<Readonly<Record<string, string>>> {
  const admin = new Kafka({
    clientId: 'bench',
    brokers: kafkaBrokers.split(','),
    logLevel: logLevel.NOTHING,
  }).admin();
  await admin.connect();
  try {
    const { brokers } = await admin.describeCluster();
    const name = String(brokers[0]?.nodeId ?? 1);
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: BROKER, name, configNames: [...KAFKA_SETTINGS] }],
    });
    return Object.fromEntries(
      (resources[0]?.configEntries ?? []).map(({ configName, configValue }) => [
        configName,
        describeFlush(configValue),
      ]),
    );
  } finally {
    await admin.disconnect();
  }
}

const NEVER = '9223372036854775807';

/** Without an interval, Kafka leaves flushing to the operating system. */
function describeFlush(value: string | null): string {
  return value === null || value === NEVER ? 'none' : value;
}

/** One line per store that there is. */
export function renderStoreSettings({ postgres, kafka }: StoreSettings): string {
  const line = (store: string, settings: Readonly<Record<string, string>>): string =>
    `${store}: ${Object.entries(settings)
      .map(([name, value]) => `${name}=${value}`)
      .join(', ')}`;
  return [
    line('Postgres', postgres),
    ...(Object.keys(kafka).length === 0 ? [] : [line('Kafka', kafka)]),
  ].join('\n');
}
