import { Gauge, withoutTrace, type Clock, type Logger } from '@tidings/platform';

const openStreams = new Gauge({
  name: 'tidings_dashboard_live_streams',
  help: 'Open live streams of the dashboard.',
});

/** A topic that streams can watch. */
export type Topic = {
  /** Unique key: application and topic name. */
  readonly key: string;
  /** The name in streams. */
  readonly name: string;
  readonly event: 'overview' | 'campaign' | 'ingest';
  readonly intervalMs: number;
  /** Reads the current state. */
  read(): Promise<unknown>;
  /**
   * The change to send to watchers that saw `before`; undefined for none. New watchers, and all
   * watchers after a failure, get the full state.
   */
  change(before: unknown, now: unknown): unknown;
};

/** A stream that watches topics. */
export interface Watcher {
  readonly applicationId: string;
  /** The caller; the number of streams per caller is limited. */
  readonly actor: string;
  send(event: { readonly event: string; readonly data: unknown }): void;
  /** Called once a second. */
  tick(nowMs: number): void;
  end(): void;
}

/**
 * Limits per process: streams in total, per application and per caller, and watched topics, each of
 * which is polled.
 */
export type LiveLimits = {
  readonly streamsMax: number;
  readonly perApplicationMax: number;
  readonly perActorMax: number;
  readonly topicsMax: number;
  readonly topicsPerApplicationMax: number;
};

const LIVE_LIMITS: LiveLimits = {
  streamsMax: 2_000,
  perApplicationMax: 200,
  perActorMax: 20,
  topicsMax: 400,
  topicsPerApplicationMax: 50,
};

const TICK_MS = 1_000;

export interface LiveHub {
  /** Null when a limit is reached. */
  watch(watcher: Watcher, topics: readonly Topic[]): { leave(): void } | null;
  close(): void;
}

type WatchedTopic = {
  readonly topic: Topic;
  readonly applicationId: string;
  readonly watchers: Set<Watcher>;
  last?: { readonly value: unknown };
  isFailing: boolean;
  timer?: NodeJS.Timeout;
};

/**
 * Polls each watched topic once per interval, for any number of watchers. Unwatched topics are
 * not polled.
 */
export function createLiveHub({
  clock,
  logger,
  limits = LIVE_LIMITS,
}: {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits?: LiveLimits;
}): LiveHub {
  const watchedTopics = new Map<string, WatchedTopic>();
  const watchers = new Set<Watcher>();
  let ticking: NodeJS.Timeout | undefined;
  let isClosed = false;

  const isFull = ({ applicationId, actor }: Watcher): boolean => {
    const ofApplication = [...watchers].filter(
      (watcher) => watcher.applicationId === applicationId,
    );
    return (
      watchers.size >= limits.streamsMax ||
      ofApplication.length >= limits.perApplicationMax ||
      ofApplication.filter((watcher) => watcher.actor === actor).length >= limits.perActorMax
    );
  };

  /** Topics that are already watched cost nothing more. */
  const hasRoomFor = (topics: readonly Topic[], applicationId: string): boolean => {
    const added = topics.filter(({ key }) => !watchedTopics.has(key)).length;
    const ofApplication = [...watchedTopics.values()].filter(
      (feed) => feed.applicationId === applicationId,
    ).length;
    return (
      added === 0 ||
      (watchedTopics.size + added <= limits.topicsMax &&
        ofApplication + added <= limits.topicsPerApplicationMax)
    );
  };

  function leave(watcher: Watcher): void {
    if (!watchers.delete(watcher)) return;
    openStreams.set(watchers.size);
    for (const feed of watchedTopics.values()) {
      if (!feed.watchers.delete(watcher) || feed.watchers.size > 0) continue;
      clearTimeout(feed.timer);
      watchedTopics.delete(feed.topic.key);
    }
    if (watchers.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  }

  async function poll(feed: WatchedTopic): Promise<void> {
    const startedAt = clock.monotonicMs();
    try {
      const value = await feed.topic.read();
      const before = feed.last;
      feed.last = { value };
      const data =
        before === undefined || feed.isFailing ? value : feed.topic.change(before.value, value);
      feed.isFailing = false;
      if (data !== undefined) broadcast(feed, feed.topic.event, data);
    } catch (error) {
      if (!feed.isFailing)
        logger.warn({ err: error, topic: feed.topic.event }, 'could not read live data');
      feed.isFailing = true;
      broadcast(feed, 'unavailable', {});
    }
    if (watchedTopics.get(feed.topic.key) !== feed) return;
    // A slow query runs less often, and never twice at a time.
    feed.timer = setTimeout(
      () => void poll(feed),
      Math.max(feed.topic.intervalMs, 2 * (clock.monotonicMs() - startedAt)),
    );
  }

  function broadcast({ topic, watchers: own }: WatchedTopic, event: string, data: unknown): void {
    for (const watcher of own) watcher.send({ event, data: { topic: topic.name, data } });
  }

  function join(watcher: Watcher, topic: Topic): void {
    const known = watchedTopics.get(topic.key);
    const feed: WatchedTopic = known ?? {
      topic,
      applicationId: watcher.applicationId,
      watchers: new Set(),
      isFailing: false,
    };
    feed.watchers.add(watcher);
    if (feed.last !== undefined)
      watcher.send({ event: topic.event, data: { topic: topic.name, data: feed.last.value } });
    if (known !== undefined) return;
    watchedTopics.set(topic.key, feed);
    void withoutTrace(() => poll(feed));
  }

  return {
    watch(watcher, topics) {
      if (isClosed || isFull(watcher) || !hasRoomFor(topics, watcher.applicationId)) return null;
      watchers.add(watcher);
      openStreams.set(watchers.size);
      ticking ??= withoutTrace(() =>
        setInterval(() => [...watchers].forEach((one) => one.tick(clock.monotonicMs())), TICK_MS),
      );
      for (const topic of topics) join(watcher, topic);
      return { leave: () => leave(watcher) };
    },
    close() {
      isClosed = true;
      for (const watcher of watchers) {
        leave(watcher);
        watcher.end();
      }
    },
  };
}
