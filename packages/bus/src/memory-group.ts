import { runBatch, type BatchRunOptions } from './batch-run.ts';
import type { ConsumeOptions, Consumer } from './bus.ts';
import { Leases } from './leases.ts';
import type { MemoryTopic } from './memory-topic.ts';
import { createSlots, type Slots } from './slots.ts';

const BATCH_RECORDS_MAX = 500;
const PARTITIONS_CONCURRENTLY = 4;
/** Short, because tests wait for it. */
const BACKOFF = { baseMs: 5, capMs: 20 };

type Assignment = { readonly topic: MemoryTopic; readonly partition: number };

type Member = {
  readonly options: ConsumeOptions;
  readonly topics: readonly MemoryTopic[];
  readonly slots: Slots;
  readonly leases: Leases;
  loops: Promise<void>[];
};

/** The members of one consumer group and their committed offsets. */
export class MemoryGroup {
  readonly #members = new Set<Member>();
  readonly #committed = new Map<MemoryTopic, Map<number, bigint>>();
  #rebalancing: Promise<void> = Promise.resolve();

  committedOffsets(topic: MemoryTopic): Map<number, bigint> {
    return new Map(this.#committed.get(topic));
  }

  async join(options: ConsumeOptions, topics: readonly MemoryTopic[]): Promise<Consumer> {
    const slots = createSlots(options.partitionsConcurrently ?? PARTITIONS_CONCURRENTLY);
    const member: Member = { options, topics, slots, leases: new Leases(), loops: [] };
    await this.#rebalance(() => this.#members.add(member));
    return {
      stop: () => this.#rebalance(() => this.#members.delete(member)),
      isAlive: () => true,
    };
  }

  /** Ends all work, changes the membership and reassigns the partitions; one change at a time. */
  #rebalance(change: () => void): Promise<void> {
    this.#rebalancing = this.#rebalancing.then(async () => {
      const members = [...this.#members];
      for (const { leases } of members) leases.end('the group rebalances');
      await Promise.all(members.flatMap(({ loops }) => loops));
      for (const { leases } of members) leases.lose('the group has a new generation');
      change();
      this.#assign();
    });
    return this.#rebalancing;
  }

  #assign(): void {
    for (const member of this.#members) member.loops = [];
    const topics = new Set([...this.#members].flatMap((member) => member.topics));
    for (const topic of topics) {
      const members = [...this.#members].filter((member) => member.topics.includes(topic));
      for (const partition of topic.partitionNumbers()) {
        const member = members[partition % members.length];
        member?.loops.push(this.#consume(member, { topic, partition }));
      }
    }
  }

  async #consume(member: Member, { topic, partition }: Assignment): Promise<void> {
    const lease = member.leases.current();
    const committed = this.#committed.get(topic) ?? new Map<number, bigint>();
    this.#committed.set(topic, committed);
    const runOptions: BatchRunOptions = {
      group: member.options.group,
      slots: member.slots,
      backoff: BACKOFF,
      handle: (batch) => member.options.handleBatch(batch),
      onProgress: () => undefined,
      onFailure: () => undefined,
    };
    while (!lease.signal.aborted) {
      const records = topic.read(partition, committed.get(partition) ?? 0n, BATCH_RECORDS_MAX);
      if (records.length === 0) {
        await topic.changed(lease.signal);
        continue;
      }
      await runBatch(
        {
          topic: topic.name,
          partition,
          records,
          lease,
          heartbeat: () => Promise.resolve(),
          async commit({ offset }) {
            committed.set(partition, offset + 1n);
          },
        },
        runOptions,
      );
    }
  }
}
