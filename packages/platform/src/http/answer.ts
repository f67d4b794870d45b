import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Ids } from '../ids.ts';

export const API_VERSION = '1';

/** An answer that is not sent yet, with what is known of its request. The `locals` are those of express, which takes over what is there. */
export type Answer = ServerResponse & { readonly locals: Record<string, unknown> };

/** Gives a request its id before express sees it, which costs more than many an answer. */
export function beginAnswer(res: ServerResponse, ids: Ids): Answer {
  return Object.assign(res, { locals: { requestId: ids.uuid() } });
}

/** The id of this request: on every answer as `X-Request-Id`, in every log line about it. */
export function requestIdOf(res: Pick<Answer, 'locals'>): string {
  return String(res.locals['requestId']);
}

/** The path of a request, whether or not express has seen it: without its query, and without the host that a proxy may name. */
export function pathOf({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  const [path = ''] = url.split(/[?#]/, 1);
  return path.startsWith('/') ? path : (URL.parse(path)?.pathname ?? path);
}
