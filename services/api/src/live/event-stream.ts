import { stringifyExactJson, type Clock } from '@tidings/platform';
import type { ServerResponse } from 'node:http';
import type { Watcher } from './live-hub.ts';

/** Silence longer than this lets proxies close the connection. */
const HEARTBEAT_MS = 15_000;
/** Then the page comes again, and shows again that it may: its key or session may have ended by then. */
const STREAM_MS = 60_000;
/** Streams that began together end apart. */
const STREAM_SPREAD = 0.2;
const RECONNECT_MS = 1_000;
/** What waits for a page that does not read: beyond it, it is told that it has fallen behind, and has to come again. */
const UNREAD_BYTES_MAX = 1024 * 1024;

export type EventStream = Pick<Watcher, 'send' | 'tick' | 'end'> & { begin(): void };

/** Server-sent events over an answer. Each has an id; nothing has to be sent again by it, since whoever comes again is told how it is. */
export function createEventStream(
  res: ServerResponse,
  clock: Clock,
  leave: () => void,
): EventStream {
  const openedAt = clock.monotonicMs();
  const endsAt = openedAt + STREAM_MS * (1 - STREAM_SPREAD * Math.random());
  const waiting: string[] = [];
  let writtenAt = openedAt;
  let sent = 0;
  let hasBegun = false;
  const write = (text: string): void => {
    if (!hasBegun) return void waiting.push(text);
    if (res.closed || res.writableEnded) return;
    if (res.writableLength > UNREAD_BYTES_MAX) return fallBehind();
    res.write(text);
    writtenAt = clock.monotonicMs();
  };
  // Of a page that reads not even this the connection is silent, and ends as every silent one.
  const fallBehind = (): void => {
    leave();
    res.end('event: behind\ndata: {}\n\n');
  };
  return {
    begin() {
      // Proxies are told not to gather what is to be read at once.
      res.writeHead(200, {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-store',
        'X-Accel-Buffering': 'no',
      });
      hasBegun = true;
      write(`retry: ${RECONNECT_MS}\n\n`);
      waiting.splice(0).forEach(write);
    },
    send: ({ event, data }) =>
      write(
        `id: ${clock.now()}-${(sent += 1)}\nevent: ${event}\ndata: ${stringifyExactJson(data)}\n\n`,
      ),
    tick(nowMs) {
      if (nowMs >= endsAt) {
        leave();
        res.end();
      } else if (nowMs - writtenAt >= HEARTBEAT_MS) write(': still here\n\n');
    },
    end: () => void res.end(),
  };
}
