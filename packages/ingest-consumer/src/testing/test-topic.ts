import { afterAll, afterEach, expect } from '@jest/globals';
import { createMemoryBus, type MemoryBus } from '@tidings/bus';
import { replayHeaders } from '@tidings/contracts/ingest/dead-letters';
import { EVENT_KINDS, type MessageType } from '@tidings/contracts/ingest/ingest';
import type { IngestRecord, MessageRef } from '@tidings/contracts/ingest/ingest-record';
import { ingestRecordHeaders } from '@tidings/contracts/ingest/records';
import { TOPICS } from '@tidings/contracts/topics';
import { requestReplay, type DeadLetterReplay } from '@tidings/events/dead-letter-admin';
import { insertEvents } from '@tidings/events/events';
import { readIngestReport } from '@tidings/events/ingest-log/ingest-report';
import { writeReceipts } from '@tidings/events/receipts';
import type { IngestConsumer } from '@tidings/events/take-records';
import { systemClock, systemIds, type Clock, type Service } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import {
  connectTestDatabase,
  createRecordingLogger,
  createTestApplication,
  eventually,
} from '@tidings/testing';
import { startIngestConsumer } from '../ingest-consumer.ts';

/** Topics with a consumer, for the tests of one file: call it at the top of the file. */
export function openTestTopics() {
  const db = connectTestDatabase();
  const running: Service[] = [];
  afterEach(async () => {
    for (const service of running.splice(0)) await service.stopIntake?.();
  });
  afterAll(() => db.close());
  return {
    db,
    newTopic: () => newTopic(db),
    async start(bus: MemoryBus, options: StartOptions = {}) {
      const { service, lines } = await start(bus, { database: db, ...options });
      running.push(service);
      return { service, lines };
    },
  };
}

/** Stores events directly, without the other steps of the events consumer. */
export async function storeEvents(sql: Sql, records: readonly IngestRecord[]): Promise<void> {
  const events: MessageRef[] = records.flatMap((record) =>
    record.messages.flatMap(({ type }, index) => (type === 'user' ? [] : [{ record, index }])),
  );
  await insertEvents(
    sql,
    events.map((event) => ({ ...event, slug: 'viewd', userId: null, isProved: true })),
  );
  await writeReceipts(
    sql,
    records.map((record) => ({
      record,
      receipts: record.messages.map(({ type }) => ({
        outcome: type === 'user' ? ('pending' as const) : ('stored' as const),
      })),
    })),
  );
}

type Sent = {
  readonly value: Buffer | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly kinds?: readonly MessageType[] | null;
};

export type DeadLetterRow = {
  readonly id: string;
  readonly consumer: string;
  readonly application_id: string | null;
  readonly request_id: string | null;
  readonly topic: string;
  readonly record_offset: string;
  readonly record_key: Buffer | null;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly error_class: string;
  readonly sql_state: string | null;
  readonly status: string;
  readonly replays: number;
};

async function newTopic(db: Database) {
  const { applicationId } = await createTestApplication(db);
  const bus = createMemoryBus();
  const producer = await bus.producer();
  /** A marker on every record, to tell this test's dead letters from others. */
  const mark = { trace: systemIds.uuid() };
  return {
    bus,
    applicationId,
    /**
     * Publishes a record with one action, always on the same partition, and returns its request id.
     * `kinds: null` omits that header.
     */
    async send({ value, headers = {}, kinds = ['action'] }: Sent): Promise<string> {
      const requestId = systemIds.uuid();
      const { kinds: kindsHeader, ...others } = ingestRecordHeaders({
        applicationId,
        requestId,
        receivedAt: Date.now(),
        keyType: 'server',
        kinds: kinds ?? [],
      });
      const own = {
        ...others,
        ...(kinds !== null && kindsHeader !== undefined && { kinds: kindsHeader }),
      };
      await producer.produce(TOPICS.ingest, [
        { key: 'one partition', value, headers: { ...own, ...mark, ...headers } },
      ]);
      return requestId;
    },
    /** Publishes a record with only these headers. */
    async sendForeign(
      value: Buffer | string,
      headers: Readonly<Record<string, string>>,
    ): Promise<void> {
      await producer.produce(TOPICS.ingest, [
        { key: 'one partition', value, headers: { ...mark, ...headers } },
      ]);
    },
    async storedIds(): Promise<string[]> {
      const { rows } = await db.sql.query<{ message_id: string }>(
        'select message_id from events where application_id = $1 order by message_id',
        [applicationId],
      );
      return rows.map((row) => row.message_id);
    },
    report: (requestId: string) => readIngestReport(db, applicationId, requestId),
    /** Requests a replay like the dashboard, without publishing the record. */
    async ask({ id }: DeadLetterRow): Promise<DeadLetterReplay> {
      const asked = await requestReplay(db, { applicationId, includesUnassigned: true }, id);
      if (asked === null || asked === 'conflict') throw new Error(`no replay: ${asked}`);
      return asked;
    },
    /** Publishes the record of a requested replay. */
    async replay({ deadLetter, key, value, headers }: DeadLetterReplay): Promise<void> {
      await producer.produce(deadLetter.topic, [
        { key, value, headers: { ...headers, ...replayHeaders(deadLetter) } },
      ]);
    },
    async deadLetters(): Promise<DeadLetterRow[]> {
      return (
        await db.sql.query<DeadLetterRow>(
          "select * from dead_letters where headers ->> 'trace' = $1 order by record_offset",
          [mark.trace],
        )
      ).rows;
    },
  };
}

export function actionBatch(id: string, fields = ''): string {
  return `{"customUserId":"ada","messages":[{"type":"action","id":"${id}","time":1,"customName":"viewed"${fields}}]}`;
}

type StartOptions = {
  readonly database?: Database;
  readonly apply?: (sql: Sql, records: readonly IngestRecord[]) => Promise<void>;
  readonly consumer?: IngestConsumer;
  readonly group?: string;
  readonly clock?: Clock;
};

async function start(bus: MemoryBus, options: StartOptions & { readonly database: Database }) {
  const {
    database,
    apply = storeEvents,
    consumer = 'events',
    group = `${consumer}-consumer`,
    clock = systemClock,
  } = options;
  const { logger, lines } = createRecordingLogger();
  const kinds: readonly MessageType[] = consumer === 'events' ? EVENT_KINDS : ['user'];
  const service = await startIngestConsumer(
    { bus, db: database, logger, clock, ids: systemIds },
    { consumer, group, kinds, apply },
  );
  return { service, lines };
}

/** Resolves when the group has committed all published records. */
export async function untilAllIsDone(bus: MemoryBus, group = 'events-consumer'): Promise<void> {
  await eventually(async () => {
    const committed = await bus.admin.committedOffsets(group, TOPICS.ingest);
    for (const [partition, { high }] of await bus.admin.topicOffsets(TOPICS.ingest))
      expect(committed.get(partition) ?? 0n).toBe(high);
  });
}
