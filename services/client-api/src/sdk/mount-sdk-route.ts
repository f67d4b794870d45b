import { answerPreflights } from '@tidings/access';
import type { KeyEndpoint } from '@tidings/api-spec/endpoint';
import { mountRoute } from '@tidings/http/app';
import type { Express, RequestHandler } from 'express';

/** Headers that pages may send besides the safelisted ones. */
const PREFLIGHT_HEADERS = ['Content-Type', 'X-Application-Id', 'X-API-Key', 'Last-Event-ID'];

/**
 * Mounts an endpoint, with preflight responses for pages of any origin. Each endpoint has its own
 * path.
 */
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
