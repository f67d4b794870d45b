import { createRouter, type Route } from '@tidings/api-spec/public-routes';
import {
  AppError,
  listen,
  retryAfterSeconds,
  sendProblem,
  systemIds,
  type HttpAddress,
  type HttpServer,
  type Listen,
  type ListenOptions,
} from '@tidings/platform';
import type { RequestListener } from 'node:http';

export type PublicServerOptions = {
  readonly address: HttpAddress;
  readonly routes: readonly Route[];
  readonly options: ListenOptions;
};

/** One HTTP server for several services. */
export interface PublicServer {
  /** The `listen` of a service: it gets the requests of its routes. */
  listenFor(service: string): Listen;
}

/** The server opens when its first service listens, and closes for all when the first one closes. */
export function createPublicServer({
  address,
  routes,
  options,
}: PublicServerOptions): PublicServer {
  const serviceOf = createRouter(routes);
  const handlers = new Map<string, RequestListener>();
  let opening: Promise<HttpServer> | undefined;
  let closing: Promise<void> | undefined;

  const dispatch: RequestListener = (req, res) => {
    const handler = handlers.get(serviceOf(req.url ?? '/') ?? '');
    if (handler !== undefined) handler(req, res);
    else
      sendProblem(
        res,
        new AppError('unavailable', 'The service of this path is starting. Try again.', {
          retryAfterSeconds: retryAfterSeconds(),
        }),
        { requestId: systemIds.uuid(), headers: ['Connection', 'close'] },
      );
  };

  return {
    listenFor: (service) => async (handler) => {
      handlers.set(service, handler);
      const server = await (opening ??= listen(dispatch, address, options));
      return { ...server, close: () => (closing ??= server.close()) };
    },
  };
}
