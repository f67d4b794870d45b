import { stringifyExactJson, type Clock } from '@tidings/platform';
import type { ServerResponse } from 'node:http';
import type { Watcher } from './live-hub.ts';

/** Proxies close connections that are silent for longer. */
const HEARTBEAT_MS = 15_000;
/**
 * Maximum stream duration. The page then reconnects and is authorized again: its key or session may
 * have ended.
 */
const STREAM_MS = 60_000;
/** Spreads the ends of streams that began together. */
const STREAM_SPREAD = 0.2;
const RECONNECT_MS = 1_000;
/**
 * Maximum unread bytes. Beyond that the stream ends with a `behind` event and the page reconnects.
 */
const UNREAD_BYTES_MAX = 1024 * 1024;

export type EventStream = Pick<Watcher, 'send' | 'tick' | 'end'> & { begin(): void };

/**
 * Server-sent events over a response. Nothing is resent after a reconnect: a new stream starts with
 * the current state.
 */
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
  // If the page does not read this either, the silent connection times out.
  const fallBehind = (): void => {
    leave();
    res.end('event: behind\ndata: {}\n\n');
  };
  return {
    begin() {
      // X-Accel-Buffering: proxies must not buffer the stream.
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
