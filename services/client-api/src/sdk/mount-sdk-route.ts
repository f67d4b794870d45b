import { answerPreflights } from '@tidings/access';
import { mountRoute } from '@tidings/platform';
import type { Express, RequestHandler } from 'express';

/** What pages send besides what they always may. */
const PREFLIGHT_HEADERS = ['Content-Type', 'X-Application-Id', 'X-API-Key', 'Last-Event-ID'];

/** Mounts one path below `/sdk/v1`, which pages of any origin may ask about. */
export function mountSdkRoute(
  app: Express,
  path: string,
  handlers: Partial<Record<'GET' | 'POST' | 'DELETE', RequestHandler[]>>,
): void {
  mountRoute(app, `/sdk/v1/${path}`, {
    ...handlers,
    OPTIONS: [answerPreflights({ methods: Object.keys(handlers), headers: PREFLIGHT_HEADERS })],
  });
}
