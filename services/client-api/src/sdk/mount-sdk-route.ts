import { answerPreflights } from '@tidings/access';
import type { KeyEndpoint } from '@tidings/api-spec/endpoint';
import { mountRoute } from '@tidings/platform';
import type { Express, RequestHandler } from 'express';

/** What pages send besides what they always may. */
const PREFLIGHT_HEADERS = ['Content-Type', 'X-Application-Id', 'X-API-Key', 'Last-Event-ID'];

/** Mounts what answers an endpoint; each has a path of its own, which pages of any origin may ask about. */
export function mountSdkRoute(
  app: Express,
  { method, path }: Pick<KeyEndpoint, 'method' | 'path'>,
  handlers: RequestHandler[],
): void {
  mountRoute(app, path, {
    [method]: handlers,
    OPTIONS: [answerPreflights({ methods: [method], headers: PREFLIGHT_HEADERS })],
  });
}
