import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { currentTraceparent, systemClock } from '@tidings/platform';
import { inTrace } from '@tidings/platform/testing';
import { createRecordingLogger, eventually } from '@tidings/testing';
import { createEventStream } from './event-stream.ts';
import {
  createLiveHub,
  type LiveHub,
  type LiveLimits,
  type Topic,
  type Watcher,
} from './live-hub.ts';

const hubs: LiveHub[] = [];
const ROOM: LiveLimits = {
  streamsMax: 10,
  perApplicationMax: 10,
  perActorMax: 10,
  topicsMax: 10,
  topicsPerApplicationMax: 10,
};
function startHub(limits: Partial<LiveLimits> = {}): LiveHub {
  const hub = createLiveHub({
    clock: systemClock,
    logger: createRecordingLogger().logger,
    limits: { ...ROOM, ...limits },
  });
  hubs.push(hub);
  return hub;
}

type Told = { readonly event: string; readonly data: unknown };
const watcherOf = (told: Told[], who: Partial<Watcher> = {}): Watcher => ({
  applicationId: 'a',
  actor: 'key:x',
  send: (event) => void told.push(event),
  tick: () => undefined,
  end: () => undefined,
  ...who,
});

/** A topic with given values, one per poll; the last one repeats. */
function topicOf(values: readonly unknown[]): Topic & { readonly looks: () => number } {
  let looks = 0;
  return {
    key: 'a campaign:1',
    name: 'campaign:1',
    event: 'campaign',
    intervalMs: 5,
    looks: () => looks,
    async read() {
      const value = values[Math.min(looks, values.length - 1)];
      looks += 1;
      if (value instanceof Error) throw value;
      return value;
    },
    change: (before, now) => (before === now ? undefined : now),
  };
}

const said = (told: readonly Told[]) =>
  told.map(({ event, data }) => [event, (data as { data?: unknown }).data]);

describe('watching', () => {
  test('sends the state, then each change once', async () => {
    const hub = startHub();
    const told: Told[] = [];
    const topic = topicOf([1, 1, 2, 2, 2, 3]);
    const place = hub.watch(watcherOf(told), [topic]);

    await eventually(() => expect(topic.looks()).toBeGreaterThan(8));
    place?.leave();

    expect(said(told)).toEqual([
      ['campaign', 1],
      ['campaign', 2],
      ['campaign', 3],
    ]);
  });

  test('streams share one query, and later ones get the state at once', async () => {
    const hub = startHub();
    const [first, second]: Told[][] = [[], []];
    const topic = { ...topicOf(['now']), intervalMs: 60_000 };
    hub.watch(watcherOf(first ?? []), [topic]);
    await eventually(() => expect(first).toHaveLength(1));
    const later = topicOf(['never read']);

    hub.watch(watcherOf(second ?? []), [later]);

    expect(said(second ?? [])).toEqual([['campaign', 'now']]);
    expect(topic.looks()).toBe(1);
    expect(later.looks()).toBe(0);
    hub.close();
  });

  test('polling stops when the last stream leaves', async () => {
    const hub = startHub();
    const topic = topicOf([1]);
    const place = hub.watch(watcherOf([]), [topic]);
    await eventually(() => expect(topic.looks()).toBeGreaterThan(1));

    place?.leave();
    const looks = topic.looks();
    const other = topicOf([1]);
    hub.watch(watcherOf([]), [{ ...other, key: 'another' }]);
    await eventually(() => expect(other.looks()).toBeGreaterThan(5));

    expect(topic.looks()).toBeLessThanOrEqual(looks + 1);
    hub.close();
  });

  test('reports a failed read, and sends the full state after recovery', async () => {
    const hub = startHub();
    const told: Told[] = [];
    hub.watch(watcherOf(told), [topicOf([1, new Error('away'), 1])]);

    await eventually(() => expect(told).toHaveLength(3));
    hub.close();

    expect(said(told)).toEqual([
      ['campaign', 1],
      ['unavailable', {}],
      ['campaign', 1],
    ]);
  });
});

test('streams are limited per caller, per application and in total', () => {
  const hub = startHub({ streamsMax: 4, perApplicationMax: 3, perActorMax: 2 });
  const open = (applicationId: string, actor: string) =>
    hub.watch(watcherOf([], { applicationId, actor }), []) !== null;

  expect([open('a', 'x'), open('a', 'x'), open('a', 'x')]).toEqual([true, true, false]);
  expect([open('a', 'y'), open('a', 'z')]).toEqual([true, false]);
  expect([open('b', 'x'), open('b', 'y')]).toEqual([true, false]);
  hub.close();
});

test('closing ends all streams and rejects new ones', () => {
  const hub = startHub();
  let ended = 0;
  hub.watch(watcherOf([], { end: () => void (ended += 1) }), []);

  hub.close();

  expect(ended).toBe(1);
  expect(hub.watch(watcherOf([]), [])).toBeNull();
});

test('watched topics are limited per application and in total; an already watched topic counts once', () => {
  const hub = startHub({ topicsMax: 4, topicsPerApplicationMax: 3 });
  const watch = (applicationId: string, ...names: string[]) =>
    hub.watch(
      watcherOf([], { applicationId }),
      names.map((name) => ({ ...topicOf([1]), key: `${applicationId} ${name}` })),
    );

  const first = watch('a', '1', '2');
  expect(first).not.toBeNull();
  expect(watch('a', '2', '3', '4')).toBeNull();
  expect(watch('a', '2', '3')).not.toBeNull();
  expect(watch('a', '1', '2', '3')).not.toBeNull();
  expect(watch('b', '1', '2')).toBeNull();
  expect(watch('b', '1')).not.toBeNull();
  expect(watch('c', '1')).toBeNull();
  hub.close();
});

test('shared polls are in no watcher’s trace', async () => {
  const hub = startHub();
  const traces: (string | undefined)[] = [];
  const topic: Topic = {
    ...topicOf([1]),
    read: async () => void traces.push(currentTraceparent()),
  };

  inTrace(() =>
    hub.watch(watcherOf([], { tick: () => void traces.push(currentTraceparent()) }), [topic]),
  );
  await eventually(() => expect(traces.length).toBeGreaterThan(5));
  hub.close();

  expect(new Set(traces)).toEqual(new Set([undefined]));
});

describe('event-stream', () => {
  const KIB = 1024;
  const LARGE = 'x'.repeat(64 * KIB);

  test('a slow reader has a bounded buffer, gets a behind event, and is disconnected', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const request = get({ port: (server.address() as AddressInfo).port, agent: false });
    const [, res] = (await once(server, 'request')) as [unknown, ServerResponse];
    let hasLeft = false;
    const stream = createEventStream(res, systemClock, () => void (hasLeft = true));
    stream.begin();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.pause();
    let unreadMax = 0;

    for (let told = 0; told < 2_000 && !hasLeft; told += 1) {
      stream.send({ event: 'ingest', data: { topic: 'ingest', data: LARGE } });
      unreadMax = Math.max(unreadMax, res.writableLength);
      await turn();
    }
    const unread = res.writableLength;
    stream.send({ event: 'ingest', data: { topic: 'ingest', data: 'too late' } });

    expect(hasLeft).toBe(true);
    expect(res.writableLength).toBe(unread);
    expect(unreadMax).toBeLessThan(1.25 * KIB * KIB);
    const events = (await text(response)).split('\n\n');
    expect(events.slice(-2)).toEqual(['event: behind\ndata: {}', '']);
    expect(events.join()).not.toContain('too late');
    await new Promise((resolve) => server.close(resolve));
  });
});
