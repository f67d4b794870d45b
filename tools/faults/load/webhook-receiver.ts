import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { WebhookEvent } from '@tidings/contracts/webhooks';

/**
 * A webhook endpoint of an application; records each event by id, with its number of deliveries.
 */
export type WebhookReceiver = {
  readonly url: string;
  readonly received: ReadonlyMap<string, ReceivedEvent>;
  /** Requests without an answer. */
  readonly unanswered: number;
  /** Answers nothing until the returned function is called. */
  hold(): () => void;
  close(): Promise<void>;
};

export type ReceivedEvent = {
  readonly type: string;
  /** Id of the delivery or campaign of the event. */ readonly of: string;
  readonly times: number;
};

/** A short delay, so that some requests are always in flight. */
const ANSWER_AFTER_MS = 30;

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received = new Map<string, ReceivedEvent>();
  let unanswered = 0;
  let held: Promise<void> | undefined;
  const server = createServer((req, res) => {
    unanswered += 1;
    res.once('close', () => (unanswered -= 1));
    void json(req).then(async (body) => {
      const { id, type, data } = body as WebhookEvent;
      received.set(id, {
        type,
        of: String(data['deliveryId'] ?? data['campaignId']),
        times: (received.get(id)?.times ?? 0) + 1,
      });
      await delay(ANSWER_AFTER_MS);
      await held;
      res.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    get unanswered() {
      return unanswered;
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = undefined;
        resolve();
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
