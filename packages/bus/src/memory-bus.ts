import { TOPIC_SPECS, type TopicSpec } from '@tidings/contracts/topics';
import {
  BusRejectedError,
  BusUnavailableError,
  type Bus,
  type OutgoingRecord,
  type RecordPosition,
} from './bus.ts';
import { MemoryGroup } from './memory-group.ts';
import { MemoryTopic } from './memory-topic.ts';

/** An in-process bus for unit tests, with a switch for the broker. */
export interface MemoryBus extends Bus {
  /** While false, produce calls reject as unavailable, and consumers get no records. */
  setAvailable(isAvailable: boolean): void;
}

/**
 * Contains every topic of the system. Topics, offsets, groups and redelivery behave like the Kafka
 * bus.
 */
export function createMemoryBus(specs: readonly TopicSpec[] = TOPIC_SPECS): MemoryBus {
  const topics = new Map(specs.map((spec) => [spec.topic, new MemoryTopic(spec)]));
  const groups = new Map<string, MemoryGroup>();
  let isAvailable = true;

  function topicNamed(name: string): MemoryTopic {
    const topic = topics.get(name);
    if (topic === undefined) throw new BusUnavailableError(`there is no topic ${name}`);
    return topic;
  }

  function groupNamed(name: string): MemoryGroup {
    const group = groups.get(name) ?? new MemoryGroup();
    groups.set(name, group);
    return group;
  }

  function produce(name: string, records: readonly OutgoingRecord[]): RecordPosition[] {
    if (!isAvailable) throw new BusUnavailableError('the broker is unavailable');
    const topic = topicNamed(name);
    if (records.some((record) => !topic.accepts(record)))
      throw new BusRejectedError('a record is larger than the topic accepts');
    return topic.append(records);
  }

  return {
    producer: () =>
      Promise.resolve({
        produce: async (name, records) => produce(name, records),
        disconnect: () => Promise.resolve(),
      }),
    consume: async (options) =>
      groupNamed(options.group).join(options, options.topics.map(topicNamed)),
    admin: {
      async ensureTopics(wanted) {
        for (const spec of wanted)
          if (!topics.has(spec.topic)) topics.set(spec.topic, new MemoryTopic(spec));
      },
      committedOffsets: async (group, topic) =>
        groupNamed(group).committedOffsets(topicNamed(topic)),
      topicOffsets: async (topic) => topicNamed(topic).offsets(),
    },
    disconnect: () => Promise.resolve(),
    setAvailable(value) {
      isAvailable = value;
    },
  };
}
