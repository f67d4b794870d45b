import { mountRoute } from '@tidings/platform';
import type { Express } from 'express';
import type { MessageStore } from '../../messages/message-store.ts';
import { messageQueryOf } from '../message-query.ts';

/** `GET /api/messages/counts`: how many were received, and whether a delivery came more than once. */
export function mountMessageCounts(app: Express, store: MessageStore): void {
  mountRoute(app, '/api/messages/counts', {
    GET: [
      (req, res) => {
        const { channel, campaignId } = messageQueryOf(req).filter;
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
