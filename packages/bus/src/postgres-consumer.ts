import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  claimLeases,
  joinGroup,
  leaveGroup,
  readMembers,
  giveBackLeases,
  renewMember,
  type PartitionLease,
} from '@tidings/partitioned-log/members';
import { shareOf, type Share } from '@tidings/partitioned-log/shares';
import { readTopic } from '@tidings/partitioned-log/topics';
import { createWakeUp, itemAt, type Logger, repeat } from '@tidings/platform';
import { isDatabaseUnavailable, type Database } from '@tidings/postgres/database';
import { declareCounters, logBatchFailures } from './batch-run.ts';
import { BusUnavailableError, type ConsumeOptions, type Consumer } from './bus.ts';
import { joins } from './group-metrics.ts';
import type { Heads } from './heads.ts';
import { Leases } from './leases.ts';
import { createLiveness, type Liveness } from './liveness.ts';
import { toBusError } from './postgres-errors.ts';
import { readPartition } from './postgres-partition.ts';
import { createSlots, type Slots } from './slots.ts';
import { traceBatch } from './traces.ts';

export type PostgresConsumerSettings = {
  readonly logger: Logger;
  /** Time without a renewal after which a member loses its partitions. */
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly handlerStallMs: number;
};

export type PostgresConsumerDependencies = {
  readonly db: Database;
  readonly heads: Heads;
  /** Calls `onChange` when another process changed the group. Returns the end of it. */
  readonly onGroupChange: (group: string, onChange: () => void) => () => void;
  readonly settings: PostgresConsumerSettings;
};

const PARTITIONS_CONCURRENTLY = 4;
const BACKOFF = { baseMs: 250, capMs: 10_000 };
/** How often a share is claimed that another member still has. */
const CLAIM_INTERVAL_MS = 200;
const SESSION_CHECK_MS = 1_000;
const SILENCES_MAX = 3;

/**
 * Joins the group and reads its share of the partitions. While Postgres is unavailable it keeps
 * trying, and counts as alive as long as it does.
 * @throws BusUnavailableError if Postgres answers but a topic is missing
 */
export async function startPostgresConsumer(
  deps: PostgresConsumerDependencies,
  options: ConsumeOptions,
): Promise<Consumer> {
  declareCounters(options.group, options.topics);
  const member = new GroupMember(deps, options);
  await member.start();
  return { stop: () => member.stop(), isAlive: () => member.isAlive() };
}

/** What a member does next with its partitions. */
type Phase =
  /** Reads the partitions that it has, and claims those of its share that it has not. */
  | 'reading'
  /** Waits for its handlers, to give its partitions back. */
  | 'ending'
  /** Its handlers have ended, or exceeded the rebalance timeout. */
  | 'ended';

class GroupMember {
  readonly #deps: PostgresConsumerDependencies;
  readonly #options: ConsumeOptions;
  readonly #logger: Logger;
  readonly #id: { readonly group: string; readonly member: string };
  readonly #leases = new Leases();
  readonly #liveness: Liveness;
  readonly #slots: Slots;
  readonly #wakeUp = createWakeUp();
  readonly #stopping = new AbortController();
  /** Running readers by partition. */
  readonly #readers = new Map<string, Promise<void>>();
  #topics: { readonly topicId: number; readonly topic: string; readonly partitions: number }[] = [];
  #phase: Phase = 'ended';
  #generation = -1n;
  /** Partitions of its share that others still have. */
  #missing: Share[] = [];
  #renewedAt = performance.now();
  #isStopping = false;
  #ticking: Promise<void> = Promise.resolve();
  #endings: (() => void)[] = [];

  constructor(deps: PostgresConsumerDependencies, options: ConsumeOptions) {
    const { settings } = deps;
    this.#deps = deps;
    this.#options = options;
    const { logger = settings.logger, group } = options;
    this.#logger = logger.child({ group });
    this.#id = { group, member: randomUUID() };
    this.#slots = createSlots(options.partitionsConcurrently ?? PARTITIONS_CONCURRENTLY);
    this.#liveness = createLiveness({
      silenceMs: SILENCES_MAX * settings.sessionTimeoutMs,
      stallMs: settings.handlerStallMs,
    });
  }

  async start(): Promise<void> {
    const { onGroupChange, settings } = this.#deps;
    try {
      await this.#tick();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw toBusError(error);
      this.#logger.warn({ err: error }, 'postgres is unreachable, retrying');
    }
    const timer = setInterval(() => this.#checkSession(), SESSION_CHECK_MS).unref();
    this.#endings = [
      onGroupChange(this.#id.group, () => this.#wakeUp.notify()),
      () => clearInterval(timer),
    ];
    this.#ticking = repeat(settings.heartbeatIntervalMs, () => this.#tick(), {
      signal: this.#stopping.signal,
      wakeUp: this.#wakeUp,
      onError: (error) => {
        // Another process would not do better.
        if (isDatabaseUnavailable(error)) this.#liveness.client();
        this.#logger.warn({ err: error }, 'the membership cannot be renewed, retrying');
      },
    });
  }

  isAlive(): boolean {
    return this.#liveness.isAlive();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#leases.end('the consumer stops');
    // The membership is renewed meanwhile, so commits outlast the handlers.
    await Promise.all(this.#readers.values());
    this.#liveness.stop();
    this.#stopping.abort();
    for (const end of this.#endings) end();
    await this.#ticking;
    this.#leases.lose('the consumer left the group');
    await leaveGroup(this.#deps.db, this.#id).catch((error: unknown) =>
      this.#logger.warn({ err: error }, 'leaving the group failed'),
    );
  }

  async #tick(): Promise<void> {
    const { db, settings } = this.#deps;
    if (this.#topics.length === 0) this.#topics = await this.#readTopics();
    const sentAt = performance.now();
    const renewal = await renewMember(db.sql, this.#id, settings.sessionTimeoutMs);
    if (!renewal.isMember) this.#leases.lose('the group removed this member');
    const generation =
      renewal.isMember && !renewal.isAnyDead ? renewal.generation : await this.#join();
    this.#renewedAt = sentAt;
    this.#liveness.client();
    if (this.#isStopping) return;
    if (this.#phase === 'reading') {
      // A failover that lost commits may repeat a generation with other members.
      const isSame =
        renewal.isMember &&
        generation === this.#generation &&
        renewal.leases === this.#readers.size;
      if (isSame && this.#missing.length === 0) return;
      if (!isSame) this.#endReaders();
    }
    if (this.#phase === 'ended') await this.#takeShare();
    if (this.#phase === 'reading' && this.#missing.length > 0) await this.#claimMissing();
  }

  async #join(): Promise<bigint> {
    const { db, settings } = this.#deps;
    const topicIds = this.#topics.map(({ topicId }) => topicId);
    const generation = await joinGroup(db, { ...this.#id, topicIds }, settings.sessionTimeoutMs);
    joins.inc({ group: this.#id.group });
    return generation;
  }

  async #readTopics() {
    const topics = await Promise.all(
      this.#options.topics.map(async (topic) => ({
        topic,
        ...(await readTopic(this.#deps.db.sql, topic)),
      })),
    );
    return topics.map(({ topic, topicId, partitions }) => {
      if (topicId === undefined || partitions === undefined)
        throw new BusUnavailableError(`there is no topic ${topic}`);
      return { topic, topicId, partitions };
    });
  }

  /** All partitions move when the members change. Finished work may still be committed. */
  #endReaders(): void {
    this.#phase = 'ending';
    this.#leases.end('the group rebalances');
    const readers = [...this.#readers.values()];
    const waiting = new AbortController();
    const timeout = delay(this.#deps.settings.rebalanceTimeoutMs, undefined, {
      signal: waiting.signal,
    }).catch(() => undefined);
    void Promise.race([Promise.all(readers), timeout]).then(() => {
      waiting.abort();
      this.#phase = 'ended';
      this.#wakeUp.notify();
    });
  }

  /** Gives all partitions back and computes the share among the members of now. */
  async #takeShare(): Promise<void> {
    const { sql } = this.#deps.db;
    this.#leases.lose('the group has a new generation');
    this.#readers.clear();
    await giveBackLeases(sql, this.#id);
    const { generation, members } = await readMembers(sql, this.#id.group);
    const partitionsOf = new Map(
      this.#topics.map(({ topicId, partitions }) => [topicId, partitions]),
    );
    this.#missing = shareOf(this.#id.member, members, partitionsOf);
    this.#generation = generation;
    this.#phase = 'reading';
    this.#logger.info(
      { generation: String(generation), assignment: this.#missing },
      'consumer joined',
    );
  }

  async #claimMissing(): Promise<void> {
    const { db, settings } = this.#deps;
    const claimed = await claimLeases(db, this.#id, {
      shares: this.#missing,
      generation: this.#generation,
      rebalanceTimeoutMs: settings.rebalanceTimeoutMs,
    });
    // Leaving the group gives them back.
    if (this.#isStopping) return;
    for (const lease of claimed ?? []) this.#read(lease);
    this.#missing = this.#missing.filter(
      ({ topicId, part }) => !this.#readers.has(`${topicId}/${part}`),
    );
    // The next tick sees the new generation, or tries again.
    if (claimed === undefined) this.#wakeUp.notify();
    else if (this.#missing.length > 0)
      setTimeout(() => this.#wakeUp.notify(), CLAIM_INTERVAL_MS).unref();
  }

  #read(owned: PartitionLease): void {
    const { db, heads } = this.#deps;
    const { group } = this.#id;
    const id = `${owned.topicId}/${owned.part}`;
    const { topic } = itemAt(
      this.#topics.filter(({ topicId }) => topicId === owned.topicId),
      0,
    );
    const reading = readPartition(
      {
        sql: db.sql,
        heads,
        logger: this.#logger,
        member: this.#id,
        onLost: () => this.#startOver(),
        gather: this.#options.gather,
        runOptions: {
          group,
          slots: this.#slots,
          backoff: BACKOFF,
          handle: (batch) =>
            traceBatch('postgresql', { batch, group }, (traced) =>
              this.#options.handleBatch(traced),
            ),
          onProgress: (isHandling) => this.#liveness.handler(id, isHandling),
          onFailure: logBatchFailures(this.#logger, { topic, partition: owned.part }),
        },
      },
      { topic, owned, lease: this.#leases.current() },
    );
    this.#readers.set(id, reading);
  }

  #checkSession(): void {
    // The group has reassigned the partitions by now, even if this member cannot learn of it.
    if (performance.now() - this.#renewedAt > this.#deps.settings.sessionTimeoutMs)
      this.#startOver();
  }

  /** Ends all handlers; the next renewal tells what this member has. */
  #startOver(): void {
    if (this.#phase === 'reading' && !this.#isStopping) this.#endReaders();
  }
}
