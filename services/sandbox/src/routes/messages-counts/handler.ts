import { mountRoute } from '@tidings/http/app';
import type { Express } from 'express';
import type { MessageStore } from '../../messages/message-store.ts';
import { readMessageQuery } from '../message-query.ts';

/** `GET /api/messages/counts`: number of messages, and of repeated ones. */
export function mountMessageCounts(app: Express, store: MessageStore): void {
  mountRoute(app, '/api/messages/counts', {
    GET: [
      (req, res) => {
        const { channel, campaignId } = readMessageQuery(req).filter;
        res.json(
          store.counts({
            ...(channel === undefined ? {} : { channel }),
            ...(campaignId === undefined ? {} : { campaignId }),
          }),
        );
      },
    ],
  });
}
