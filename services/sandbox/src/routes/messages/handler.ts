import { mountRoute } from '@tidings/http/app';
import type { Express, RequestHandler } from 'express';
import type { MessageStore } from '../../messages/message-store.ts';
import { readMessageQuery } from '../message-query.ts';

/** `GET /api/messages`: received messages, newest first; `DELETE` deletes all. */
export function mountMessages(app: Express, store: MessageStore): void {
  const listMessages: RequestHandler = async (req, res) => {
    const { filter, limit } = readMessageQuery(req);
    const { count, messages } = await store.list(filter, limit);
    // The stored lines are JSON already; parsing and writing them again would be most of the cost.
    const commas = messages.flatMap((message, at) =>
      at === 0 ? [message] : [Buffer.from(','), message],
    );
    res
      .type('json')
      .send(
        Buffer.concat([
          Buffer.from(`{"count":${count},"messages":[`),
          ...commas,
          Buffer.from(']}'),
        ]),
      );
  };
  const deleteMessages: RequestHandler = async (_req, res) => {
    await store.clear();
    res.status(204).end();
  };
  mountRoute(app, '/api/messages', { GET: [listMessages], DELETE: [deleteMessages] });
}
