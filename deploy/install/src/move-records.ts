import { setTimeout as delay } from 'node:timers/promises';
import type { Bus, TopicOffsets } from '@tidings/bus';
import { CONSUMER_GROUPS, TOPIC_SPECS, TOPICS } from '@tidings/contracts';
import { forgetAnnouncements } from '@tidings/delivery/forget-announcements';
import {
  readBusState,
  setAccepting,
  switchBus,
  type BusKind,
  type KafkaEnds,
} from '@tidings/partitioned-log/state';
import type { Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';

export type MoveOptions = {
  readonly to: BusKind;
  readonly db: Database;
  readonly buses: Readonly<Record<BusKind, Bus>>;
  readonly logger: Logger;
  /** How long readers may take for what is there. */
  readonly drainMs: number;
  /**
   * How long producers on Kafka may take to know that no records are taken, and to end their calls.
   * Appends to the log end with its closing.
   */
  readonly noticeMs: number;
};

/** Why records could not be moved. The installation goes on as before. */
export class MoveError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MoveError';
  }
}

/**
 * Topics that must be read before the move. What is on the others are pointers to chunks in the
 * database, which the sweep announces again.
 */
const DRAINED: readonly string[] = [TOPICS.ingest, TOPICS.campaigns];
const POLL_MS = 100;

/**
 * Moves an installation to the other bus while it works: closes it for new records, waits until
 * those there are read, and records the new bus. Its processes then end, and start with the other
 * `BUS`. `POST /` answers 503 meanwhile; `POST /push` is stored, and announced later.
 * @throws MoveError before anything has changed, or after the installation was opened again
 */
export async function moveRecords({
  to,
  db,
  buses,
  logger,
  drainMs,
  noticeMs,
}: MoveOptions): Promise<void> {
  const from: BusKind = to === 'kafka' ? 'postgres' : 'kafka';
  const state = await readBusState(db.sql);
  if (state.bus === to)
    throw new MoveError(`the records of this installation are in ${to} already`);
  if (state.bus === null)
    throw new MoveError('no prepare step of this version has run yet: run it first');
  await checkTarget(buses, to);

  await setAccepting(db, false);
  logger.info({ bus: from }, 'no records are taken');
  try {
    if (from === 'kafka') await delay(noticeMs);
    await drain(buses[from], drainMs);
    logger.info({}, 'all records are read');
    const kafkaEnds = to === 'postgres' ? await readEnds(buses.kafka) : undefined;
    await db.transaction(async (sql) => {
      await forgetAnnouncements(sql);
      await switchBus(
        sql,
        kafkaEnds === undefined ? { bus: 'kafka' } : { bus: 'postgres', kafkaEnds },
      );
    });
  } catch (error) {
    await setAccepting(db, true);
    throw error;
  }
  logger.info({ bus: to }, `moved: set BUS=${to} for all services`);
}

/** The other bus must have the same partitions, and nothing that a group has not read. */
async function checkTarget(buses: MoveOptions['buses'], to: BusKind): Promise<void> {
  const problems: string[] = [];
  for (const { topic, partitions } of TOPIC_SPECS) {
    const offsets = await buses[to].admin.topicOffsets(topic);
    if (offsets.size !== partitions)
      problems.push(`topic ${topic} has ${offsets.size} partitions in ${to}, not ${partitions}`);
  }
  for (const { group, topics } of CONSUMER_GROUPS)
    for (const topic of topics) {
      const unread = await countUnread(buses[to], group, topic);
      if (unread > 0n)
        problems.push(`group ${group} has ${unread} unread records of topic ${topic} in ${to}`);
    }
  if (problems.length > 0) throw new MoveError(problems.join('; '));
}

async function drain(bus: Bus, drainMs: number): Promise<void> {
  const endsAt = performance.now() + drainMs;
  for (;;) {
    const unread = await listUnread(bus);
    if (unread.length === 0) return;
    if (performance.now() > endsAt)
      throw new MoveError(
        `not all records were read within ${drainMs / 1000} s: ${unread.join('; ')}`,
      );
    await delay(POLL_MS);
  }
}

async function listUnread(bus: Bus): Promise<string[]> {
  const unread: string[] = [];
  for (const { group, topics } of CONSUMER_GROUPS)
    for (const topic of topics.filter((name) => DRAINED.includes(name))) {
      const count = await countUnread(bus, group, topic);
      if (count > 0n) unread.push(`${group}: ${count} of ${topic}`);
    }
  return unread;
}

async function countUnread({ admin }: Bus, group: string, topic: string): Promise<bigint> {
  const [committed, offsets] = [
    await admin.committedOffsets(group, topic),
    await admin.topicOffsets(topic),
  ];
  let unread = 0n;
  for (const [partition, { low, high }] of offsets) {
    const next = committed.get(partition) ?? low;
    if (high > next) unread += high - next;
  }
  return unread;
}

async function readEnds({ admin }: Bus): Promise<KafkaEnds> {
  const ends: Record<string, Record<string, string>> = {};
  for (const { topic } of TOPIC_SPECS) ends[topic] = textEnds(await admin.topicOffsets(topic));
  return ends;
}

function textEnds(offsets: ReadonlyMap<number, TopicOffsets>): Record<string, string> {
  return Object.fromEntries([...offsets].map(([partition, { high }]) => [partition, String(high)]));
}
