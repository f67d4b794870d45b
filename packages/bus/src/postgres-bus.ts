import { ensureTopics } from '@tidings/partitioned-log/topics';
import {
  readCommittedOffsets,
  readHeads,
  readTopicOffsets,
} from '@tidings/partitioned-log/offsets';
import { repeat } from '@tidings/platform';
import { connectDatabase } from '@tidings/postgres/database';
import { listenTo } from '@tidings/postgres/listen';
import type { Bus, BusAdmin } from './bus.ts';
import { Heads } from './heads.ts';
import { startPostgresConsumer, type PostgresConsumerSettings } from './postgres-consumer.ts';
import { toBusError } from './postgres-errors.ts';
import { createPostgresProducer } from './postgres-producer.ts';

export type PostgresBusSettings = PostgresConsumerSettings & {
  readonly databaseUrl: string;
  readonly applicationName: string;
  /** An append, a read or a commit ends within this time. */
  readonly requestTimeoutMs: number;
};

const CONNECTIONS_MAX = 5;
/** Postgres ends a statement before its caller gives it up. */
const STATEMENT_TIMEOUT_SHARE = 0.8;
/** Behind notifications, which may be missed. */
const LOOK_INTERVAL_MS = 1_000;

/**
 * The bus on Postgres: a log of records in partitions, see packages/partitioned-log. Producers and
 * consumers of one process wake each other directly, those of several by notifications.
 */
export function createPostgresBus(settings: PostgresBusSettings): Bus {
  const { databaseUrl, applicationName, requestTimeoutMs, logger } = settings;
  const db = connectDatabase({
    databaseUrl,
    applicationName,
    poolMax: CONNECTIONS_MAX,
    statementTimeoutMs: Math.floor(requestTimeoutMs * STATEMENT_TIMEOUT_SHARE),
    isKeyed: true,
  });
  const heads = new Heads();
  const changes = new Map<string, Set<() => void>>();
  const stopping = new AbortController();

  async function look(): Promise<void> {
    const topicIds = heads.waitingTopicIds();
    if (topicIds.length === 0) return;
    for (const { next, ...share } of await readHeads(db.sql, topicIds)) heads.advance(share, next);
  }

  const listener = listenTo({
    databaseUrl,
    applicationName,
    channel: 'tidings_log',
    onNotification(payload) {
      const [topicId = '', part, next] = payload.split('/');
      if (topicId === 'group')
        changes.get(payload.slice('group/'.length))?.forEach((tell) => tell());
      else if (next !== undefined)
        heads.advance({ topicId: Number(topicId), part: Number(part) }, BigInt(next));
    },
  });
  const looking = repeat(LOOK_INTERVAL_MS, look, {
    signal: stopping.signal,
    onError: (error) => logger.warn({ err: error }, 'the ends of the log cannot be read, retrying'),
  });

  return {
    producer: () =>
      Promise.resolve(createPostgresProducer({ sql: db.sql, heads, requestTimeoutMs })),
    consume: (options) =>
      startPostgresConsumer(
        {
          db,
          heads,
          settings,
          onGroupChange(group, onChange) {
            const listeners = changes.get(group) ?? new Set();
            changes.set(group, listeners.add(onChange));
            return () => void listeners.delete(onChange);
          },
        },
        options,
      ),
    admin: createPostgresAdmin(db),
    async disconnect() {
      stopping.abort();
      await Promise.all([listener.close(), looking]);
      await db.close();
    },
  };
}

function createPostgresAdmin(db: ReturnType<typeof connectDatabase>): BusAdmin {
  const call = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw toBusError(error);
    });
  return {
    ensureTopics: (specs) => call(ensureTopics(db, specs)),
    committedOffsets: (group, topic) => call(readCommittedOffsets(db.sql, group, topic)),
    topicOffsets: (topic) => call(readTopicOffsets(db.sql, topic)),
  };
}
