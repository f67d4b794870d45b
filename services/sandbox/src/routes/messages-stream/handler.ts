import { mountRoute } from '@tidings/http/app';
import type { Express, Response } from 'express';
import type { MessageStore } from '../../messages/message-store.ts';

/** Changes within this time are reported as one; a campaign causes thousands per second. */
const GATHER_MS = 250;
/** Proxies may close a connection that is silent for longer. */
const HEARTBEAT_MS = 15_000;

/** `GET /api/messages/stream`: server-sent events on each change; `close` ends all streams. */
export function mountMessageStream(app: Express, store: MessageStore): { close(): void } {
  const open = new Set<Response>();
  const write = (text: string) => {
    for (const res of open) res.write(text);
  };
  const tell = () => write(`event: change\ndata: ${JSON.stringify(store.counts({}))}\n\n`);

  let gathering: NodeJS.Timeout | undefined;
  const stopListening = store.onChange(() => {
    gathering ??= setTimeout(() => {
      gathering = undefined;
      tell();
    }, GATHER_MS);
  });
  const heartbeat = setInterval(() => write(': still here\n\n'), HEARTBEAT_MS);

  mountRoute(app, '/api/messages/stream', {
    GET: [
      (_req, res) => {
        res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
        res.write('retry: 1000\n\n');
        open.add(res);
        res.on('close', () => open.delete(res));
      },
    ],
  });

  return {
    close() {
      stopListening();
      clearTimeout(gathering);
      clearInterval(heartbeat);
      for (const res of open) res.end();
    },
  };
}
