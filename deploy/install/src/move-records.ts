import { setTimeout as delay } from 'node:timers/promises';
import type { Bus, EnsureTopicsOptions } from '@tidings/bus';
import { CONSUMER_GROUPS, TOPIC_SPECS, TOPICS, type TopicSpec } from '@tidings/contracts/topics';
import { forgetAnnouncements } from '@tidings/delivery/forget-announcements';
import {
  readBusState,
  setAccepting,
  switchBus,
  type BusKind,
} from '@tidings/partitioned-log/state';
import { retry, type Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';

export type MoveOptions = {
  readonly to: BusKind;
  readonly records: Records;
  readonly db: Database;
  readonly buses: Readonly<Record<BusKind, Bus>>;
  readonly logger: Logger;
  /** How long readers may take for what is there. */
  readonly drainMs: number;
  /** The settings of Kafka's topics, which a move closes or opens. */
  readonly replication: EnsureTopicsOptions;
  /**
   * How long a broker may take to apply that its topics are closed, or to lose its partitions.
   * Appends to the log end with its closing.
   */
  readonly noticeMs: number;
};

/** What is moved. */
export type Records = {
  readonly topics: readonly TopicSpec[];
  readonly groups: readonly { readonly group: string; readonly topics: readonly string[] }[];
  /**
   * Topics that must be read before the move. What is on the others are pointers to chunks in the
   * database, which the sweep announces again.
   */
  readonly drained: readonly string[];
};

export const ALL_RECORDS: Records = {
  topics: TOPIC_SPECS,
  groups: CONSUMER_GROUPS,
  drained: [TOPICS.ingest, TOPICS.campaigns],
};

/** Why records could not be moved. The installation goes on as before. */
class MoveError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MoveError';
  }
}

const POLL_MS = 100;
/**
 * Kafka then refuses every record, also of a process that was frozen during the move. Its client gets
 * an error, and sends again.
 */
const CLOSED_RECORD_BYTES_MAX = 0;
/** Kafka elects the leaders of new topics, and the coordinator of a group when it is first asked. */
const READ_SCHEDULE = { attemptsMax: 6, baseMs: 250, capMs: 2_000 };

/**
 * Moves an installation to the other bus while it works: closes it for new records, waits until
 * those there are read, and records the new bus. Its processes then end, and start with the other
 * `BUS`. `POST /` answers 503 meanwhile; `POST /push` is stored, and announced later.
 * @throws MoveError before anything has changed, or after the installation was opened again
 */
export async function moveRecords(options: MoveOptions): Promise<void> {
  const { to, records, db, buses, logger, drainMs, noticeMs } = options;
  const from: BusKind = to === 'kafka' ? 'postgres' : 'kafka';
  const state = await readBusState(db.sql);
  if (state.bus === to)
    throw new MoveError(`the records of this installation are in ${to} already`);
  if (state.bus === null)
    throw new MoveError('no prepare step of this version has run yet: run it first');
  await buses[to].admin.ensureTopics(records.topics, options.replication);
  await checkTarget(buses, to, records);

  await setAccepting(db, false);
  logger.info({ bus: from }, 'no records are taken');
  try {
    if (from === 'kafka') {
      await closeTopics(options);
      await delay(noticeMs);
    }
    await drain(buses[from], records, drainMs);
    logger.info({}, 'all records are read');
    await db.transaction(async (sql) => {
      await forgetAnnouncements(sql);
      await switchBus(sql, to);
    });
  } catch (error) {
    await reopen(options, from, error);
    throw error;
  }
  logger.info({ bus: to }, `moved: set BUS=${to} for all services`);
}

/**
 * After a move that failed.
 * @throws MoveError with both reasons if the installation stays closed
 */
async function reopen(options: MoveOptions, from: BusKind, cause: unknown): Promise<void> {
  const { records, db, buses, replication } = options;
  try {
    if (from === 'kafka')
      await retry(READ_SCHEDULE, () => buses.kafka.admin.ensureTopics(records.topics, replication));
    await setAccepting(db, true);
  } catch (failure) {
    throw new MoveError(
      `the move failed: ${messageOf(cause)}. The installation takes no records, because it could not be opened again: ${messageOf(failure)}. Run the move again`,
    );
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function closeTopics({ buses, records, replication }: MoveOptions): Promise<void> {
  return buses.kafka.admin.ensureTopics(
    records.topics.map((spec) => ({ ...spec, recordBytesMax: CLOSED_RECORD_BYTES_MAX })),
    replication,
  );
}

/** The other bus must have the same partitions, and nothing that a group has not read. */
async function checkTarget(
  buses: MoveOptions['buses'],
  to: BusKind,
  records: Records,
): Promise<void> {
  const problems: string[] = [];
  for (const { topic, partitions } of records.topics) {
    const offsets = await retry(READ_SCHEDULE, () => buses[to].admin.topicOffsets(topic));
    if (offsets.size !== partitions)
      problems.push(`topic ${topic} has ${offsets.size} partitions in ${to}, not ${partitions}`);
  }
  for (const { group, topics } of records.groups)
    for (const topic of topics) {
      const unread = await countUnread(buses[to], group, topic);
      if (unread > 0n)
        problems.push(`group ${group} has ${unread} unread records of topic ${topic} in ${to}`);
    }
  if (problems.length > 0) throw new MoveError(problems.join('; '));
}

async function drain(bus: Bus, records: Records, drainMs: number): Promise<void> {
  const endsAt = performance.now() + drainMs;
  for (;;) {
    const unread = await listUnread(bus, records);
    if (unread.length === 0) return;
    if (performance.now() > endsAt)
      throw new MoveError(
        `not all records were read within ${drainMs / 1000} s: ${unread.join('; ')}`,
      );
    await delay(POLL_MS);
  }
}

async function listUnread(bus: Bus, { groups, drained }: Records): Promise<string[]> {
  const unread: string[] = [];
  for (const { group, topics } of groups)
    for (const topic of topics.filter((name) => drained.includes(name))) {
      const count = await countUnread(bus, group, topic);
      if (count > 0n) unread.push(`${group}: ${count} of ${topic}`);
    }
  return unread;
}

function countUnread(bus: Bus, group: string, topic: string): Promise<bigint> {
  return retry(READ_SCHEDULE, () => countUnreadOnce(bus, group, topic));
}

async function countUnreadOnce({ admin }: Bus, group: string, topic: string): Promise<bigint> {
  const committed = await admin.committedOffsets(group, topic);
  const offsets = await admin.topicOffsets(topic);
  let unread = 0n;
  for (const [partition, { low, high }] of offsets) {
    const next = committed.get(partition) ?? low;
    if (high > next) unread += high - next;
  }
  return unread;
}
