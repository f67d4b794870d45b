import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  BusRejectedError,
  BusUnavailableError,
  type RecordBatch,
  type Bus,
  type BusRecord,
  type ConsumeOptions,
  type Consumer,
} from './bus.ts';
import { until } from './until.ts';

const RECORD_BYTES_MAX = 1024 * 1024;

/** The guarantees of every bus implementation. `removeTopics` cleans up a shared broker. */
export function testBus(
  name: string,
  create: () => Bus,
  removeTopics: (topics: readonly string[]) => Promise<void>,
): void {
  describe(name, () => {
    const topics: string[] = [];
    let consumers: Consumer[] = [];
    let bus: Bus;

    async function makeTopic(partitions = 3): Promise<string> {
      const topic = `conformance-${randomUUID()}`;
      topics.push(topic);
      const spec = { topic, partitions, retentionMs: 3_600_000, recordBytesMax: RECORD_BYTES_MAX };
      await bus.admin.ensureTopics([spec], { replicationFactor: 1, minInsyncReplicas: 1 });
      return topic;
    }

    async function consume(options: ConsumeOptions): Promise<Consumer> {
      const consumer = await bus.consume(options);
      consumers.push(consumer);
      return consumer;
    }

    async function produceTexts(
      topic: string,
      texts: readonly string[],
      key: string | null = 'one-key',
    ): Promise<void> {
      const producer = await bus.producer();
      await producer.produce(
        topic,
        texts.map((value) => ({ key, value })),
      );
    }

    /** One key per partition, found by producing. */
    async function keysOfPartitions(topic: string, partitions: number): Promise<string[]> {
      const producer = await bus.producer();
      const keys = new Map<number, string>();
      for (let n = 0; keys.size < partitions; n += 1) {
        const [position] = await producer.produce(topic, [{ key: `key-${n}`, value: 'first' }]);
        if (position !== undefined) keys.set(position.partition, `key-${n}`);
      }
      return [...keys.values()];
    }

    beforeAll(() => {
      bus = create();
    });
    afterEach(async () => {
      await Promise.all(consumers.map((consumer) => consumer.stop()));
      consumers = [];
    });
    afterAll(async () => {
      await bus.disconnect();
      await removeTopics(topics);
    });

    test('produce answers with the position of every record, in the order given', async () => {
      const topic = await makeTopic();
      const producer = await bus.producer();

      const keyed = await producer.produce(
        topic,
        ['a', 'b', 'a', 'c', 'a'].map((key) => ({ key, value: key })),
      );

      expect(keyed).toHaveLength(5);
      const ofA = [keyed[0], keyed[2], keyed[4]];
      expect(new Set(ofA.map((position) => position?.partition)).size).toBe(1);
      const offsets = ofA.map((position) => position?.offset ?? -1n);
      expect(offsets).toEqual(offsets.toSorted((one, other) => Number(one - other)));
      expect(new Set(keyed.map(({ partition, offset }) => `${partition}/${offset}`)).size).toBe(5);
    });

    test('records without a key are spread over the partitions', async () => {
      const topic = await makeTopic(3);
      const producer = await bus.producer();

      const positions = await producer.produce(
        topic,
        Array.from({ length: 30 }, () => ({ key: null, value: 'x' })),
      );

      expect(new Set(positions.map(({ partition }) => partition)).size).toBe(3);
    });

    test('more records than one request holds are all written', async () => {
      const topic = await makeTopic(1);
      const producer = await bus.producer();

      const positions = await producer.produce(
        topic,
        Array.from({ length: 60 }, () => ({ key: 'k', value: Buffer.alloc(50_000) })),
      );

      expect(positions.at(-1)).toEqual({ partition: 0, offset: 59n });
    });

    test('a record comes out as it went in', async () => {
      const topic = await makeTopic();
      const producer = await bus.producer();
      const seen: BusRecord[] = [];

      const [position] = await producer.produce(topic, [
        { key: 'ключ', value: Buffer.from([0, 255, 1]), headers: { kinds: 'user,Ω' } },
      ]);
      await consume({
        group: randomUUID(),
        topics: [topic],
        handleBatch: async ({ records }) => void seen.push(...records),
      });
      await until(() => seen.length === 1);

      expect(seen[0]).toEqual({
        topic,
        ...position,
        key: Buffer.from('ключ'),
        value: Buffer.from([0, 255, 1]),
        headers: { kinds: 'user,Ω' },
      });
    });

    test('produce to a topic that does not exist is unavailable', async () => {
      const producer = await bus.producer();
      await expect(
        producer.produce(`missing-${randomUUID()}`, [{ key: 'k', value: 'v' }]),
      ).rejects.toBeInstanceOf(BusUnavailableError);
    });

    test('a record that is too large is refused', async () => {
      const topic = await makeTopic();
      const producer = await bus.producer();
      await expect(
        producer.produce(topic, [{ key: 'k', value: Buffer.alloc(RECORD_BYTES_MAX + 1) }]),
      ).rejects.toBeInstanceOf(BusRejectedError);
    });

    test('ensuring topics again changes nothing', async () => {
      const topic = await makeTopic();
      await produceTexts(topic, ['kept']);

      const spec = {
        topic,
        partitions: 3,
        retentionMs: 7_200_000,
        recordBytesMax: RECORD_BYTES_MAX,
      };
      await bus.admin.ensureTopics([spec], { replicationFactor: 1, minInsyncReplicas: 1 });

      const highs = [...(await bus.admin.topicOffsets(topic)).values()].map(({ high }) => high);
      expect(highs.toSorted()).toEqual([0n, 0n, 1n]);
    });

    test('every group gets every record, in the order of its partition, from the beginning', async () => {
      const topic = await makeTopic();
      await produceTexts(topic, ['0', '1', '2']);
      const seen: Record<string, string[]> = { [randomUUID()]: [], [randomUUID()]: [] };

      for (const [group, texts] of Object.entries(seen)) {
        await consume({
          group,
          topics: [topic],
          handleBatch: async ({ records }) => void texts.push(...textsOf(records)),
        });
      }
      await until(() => Object.values(seen).every((texts) => texts.length === 3));
      await produceTexts(topic, ['3', '4']);
      await until(() => Object.values(seen).every((texts) => texts.length === 5));

      for (const texts of Object.values(seen)) expect(texts).toEqual(['0', '1', '2', '3', '4']);
    });

    test('a handled batch is committed', async () => {
      const topic = await makeTopic(1);
      const group = randomUUID();
      await produceTexts(topic, ['0', '1', '2']);

      await consume({ group, topics: [topic], handleBatch: async () => undefined });
      await until(async () => (await bus.admin.committedOffsets(group, topic)).get(0) === 3n);

      expect(await bus.admin.topicOffsets(topic)).toEqual(new Map([[0, { low: 0n, high: 3n }]]));
    });

    test('a group that has committed nothing has no offsets', async () => {
      const topic = await makeTopic();
      expect(await bus.admin.committedOffsets(randomUUID(), topic)).toEqual(new Map());
    });

    test('a failed batch is retried from the first unresolved record, for any thrown value', async () => {
      const topic = await makeTopic(1);
      const group = randomUUID();
      await produceTexts(topic, ['0', '1', '2', '3']);
      const errors = [new Error('away'), new TypeError('a bug'), new RangeError('another')];
      const firsts: string[] = [];
      const done: string[] = [];

      const consumer = await consume({
        group,
        topics: [topic],
        async handleBatch({ records, resolve }) {
          firsts.push(textsOf(records)[0] ?? '');
          for (const record of records) {
            done.push(...textsOf([record]));
            await resolve(record.offset);
            const error = errors.shift();
            if (error !== undefined) throw error;
          }
        },
      });
      await until(async () => (await bus.admin.committedOffsets(group, topic)).get(0) === 4n);

      expect(firsts).toEqual(['0', '1', '2', '3']);
      expect(done).toEqual(['0', '1', '2', '3']);
      expect(consumer.isAlive()).toBe(true);
    });

    test('offsets resolved out of order never go back', async () => {
      const topic = await makeTopic(1);
      const group = randomUUID();
      await produceTexts(topic, ['0', '1', '2', '3']);

      await consume({
        group,
        topics: [topic],
        async handleBatch({ resolve, signal }) {
          await Promise.all([resolve(2n), resolve(0n), resolve(1n)]);
          await aborted(signal);
          signal.throwIfAborted();
        },
      });

      await until(async () => (await bus.admin.committedOffsets(group, topic)).get(0) === 3n);
      await consumers[0]?.stop();
      expect((await bus.admin.committedOffsets(group, topic)).get(0)).toBe(3n);
    });

    test('a partition that fails or is slow does not hold up the others', async () => {
      const topic = await makeTopic(3);
      const [failing, slow, good] = await keysOfPartitions(topic, 3);
      const seen: string[] = [];

      await consume({
        group: randomUUID(),
        topics: [topic],
        async handleBatch({ records, signal }) {
          const key = records[0]?.key?.toString();
          if (key === failing) throw new Error('this partition fails');
          if (key === slow) await aborted(signal);
          seen.push(...textsOf(records));
        },
      });
      for (let n = 0; n < 3; n += 1) {
        await produceTexts(topic, [`good-${n}`], good);
        await until(() => seen.at(-1) === `good-${n}`);
      }

      expect(seen.at(-1)).toBe('good-2');
    });

    test('no more partitions are handled at a time than allowed', async () => {
      const topic = await makeTopic(3);
      await keysOfPartitions(topic, 3);
      let running = 0;
      let runningMax = 0;
      const done = new Set<number>();

      await consume({
        group: randomUUID(),
        topics: [topic],
        partitionsConcurrently: 2,
        async handleBatch({ partition, heartbeat }) {
          running += 1;
          runningMax = Math.max(runningMax, running);
          for (let turn = 0; turn < 20; turn += 1) {
            await new Promise((resolve) => setImmediate(resolve));
            await heartbeat();
          }
          running -= 1;
          done.add(partition);
        },
      });
      await until(() => done.size === 3);

      expect(runningMax).toBeLessThanOrEqual(2);
    });

    test('stop aborts the signal, waits for the handler, and commits what it still resolves', async () => {
      const topic = await makeTopic(1);
      const group = randomUUID();
      await produceTexts(topic, ['0', '1', '2']);
      let isStarted = false;
      let isEnded = false;
      const consumer = await consume({
        group,
        topics: [topic],
        async handleBatch({ resolve, signal }) {
          isStarted = true;
          await aborted(signal);
          await resolve(1n);
          isEnded = true;
          signal.throwIfAborted();
        },
      });
      await until(() => isStarted);

      await consumer.stop();

      expect(isEnded).toBe(true);
      expect((await bus.admin.committedOffsets(group, topic)).get(0)).toBe(2n);
      const seen: string[] = [];
      await consume({
        group,
        topics: [topic],
        handleBatch: async ({ records }) => void seen.push(...textsOf(records)),
      });
      await until(() => seen.length > 0);
      expect(seen).toEqual(['2']);
    });

    test('a second member takes over part of the partitions, and nothing is lost', async () => {
      const topic = await makeTopic(4);
      const group = randomUUID();
      const keys = await keysOfPartitions(topic, 4);
      const seenBy: Set<string>[] = [new Set(), new Set()];
      let lastRound = 0;
      const member = (seen: Set<string>): ConsumeOptions => ({
        group,
        topics: [topic],
        handleBatch: async ({ records }) => textsOf(records).forEach((text) => seen.add(text)),
      });

      for (const seen of seenBy) await consume(member(seen));
      await until(async () => {
        lastRound += 1;
        for (const key of keys) await produceTexts(topic, [`${lastRound} ${key}`], key);
        return seenBy.every((seen) => seen.size >= 5);
      });

      await until(() => {
        const all = new Set(seenBy.flatMap((seen) => [...seen]));
        return all.size === lastRound * keys.length + 1;
      });
    });

    test('a rebalance aborts the signal, and what is resolved after the loss is not committed', async () => {
      const topic = await makeTopic(1);
      const group = randomUUID();
      await produceTexts(topic, ['0', '1']);
      const held: RecordBatch[] = [];
      const handleBatch = async (batch: RecordBatch): Promise<void> => {
        held.push(batch);
        await aborted(batch.signal);
        batch.signal.throwIfAborted();
      };
      await consume({ group, topics: [topic], handleBatch });
      await until(() => held.length === 1);

      await consume({ group, topics: [topic], handleBatch });
      await until(() => held.length === 2);

      expect(held[0]?.signal.aborted).toBe(true);
      await expect(held[0]?.resolve(1n)).rejects.toThrow();
      await expect(held[0]?.heartbeat()).rejects.toThrow();
      expect(held[1]?.records).toHaveLength(2);
      expect(await bus.admin.committedOffsets(group, topic)).toEqual(new Map());
    });
  });
}

function textsOf(records: readonly BusRecord[]): string[] {
  return records.map(({ value }) => value.toString());
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
