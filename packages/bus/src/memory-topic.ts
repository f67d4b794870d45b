import type { TopicSpec } from '@tidings/contracts/topics';
import type { BusRecord, OutgoingRecord, RecordPosition, TopicOffsets } from './bus.ts';
import { choosePartition } from '@tidings/partitioned-log/partitioner';
import { recordBytes } from './record-size.ts';

/** The partitions of one topic, in memory. */
export class MemoryTopic {
  readonly name: string;
  readonly #recordBytesMax: number;
  readonly #partitions: BusRecord[][];
  readonly #waiting = new Set<() => void>();
  #keylessCount = 0;

  constructor({ topic, partitions, recordBytesMax }: TopicSpec) {
    this.name = topic;
    this.#recordBytesMax = recordBytesMax;
    this.#partitions = Array.from({ length: partitions }, () => []);
  }

  partitionNumbers(): number[] {
    return [...this.#partitions.keys()];
  }

  accepts(record: OutgoingRecord): boolean {
    return recordBytes(record) <= this.#recordBytesMax;
  }

  append(records: readonly OutgoingRecord[]): RecordPosition[] {
    const positions = records.map(({ key: keyText, value, headers }) => {
      const key = keyText === null ? null : Buffer.from(keyText);
      const partition =
        key === null
          ? this.#keylessCount++ % this.#partitions.length
          : choosePartition(key, this.#partitions.length);
      const log = this.#partitions[partition] ?? [];
      const offset = BigInt(log.length);
      log.push({
        topic: this.name,
        partition,
        offset,
        key,
        value: Buffer.from(value),
        headers: { ...headers },
      });
      return { partition, offset };
    });
    for (const wake of this.#waiting) wake();
    return positions;
  }

  read(partition: number, from: bigint, recordsMax: number): BusRecord[] {
    return (this.#partitions[partition] ?? []).slice(Number(from), Number(from) + recordsMax);
  }

  offsets(): Map<number, TopicOffsets> {
    return new Map(
      this.#partitions.map((log, partition) => [partition, { low: 0n, high: BigInt(log.length) }]),
    );
  }

  /** Resolves at the next append or when `signal` aborts. */
  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
      if (signal.aborted) wake();
    });
  }
}
