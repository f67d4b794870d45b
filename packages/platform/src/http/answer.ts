import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Ids } from '../ids.ts';
import { requestValue, type Answer } from './request-value.ts';

const requestId = requestValue<string>('requestId');

/** Gives a request its id before express sees it, which costs more than many an answer. */
export function beginAnswer(res: ServerResponse, ids: Ids): Answer {
  const answer = Object.assign(res, { locals: {} });
  requestId.set(answer, ids.uuid());
  return answer;
}

/** Gives a request its id unless it has one already. */
export function ensureRequestId(res: Pick<Answer, 'locals'>, ids: Ids): void {
  if (requestId.find(res) === undefined) requestId.set(res, ids.uuid());
}

/** The id of this request: on every answer as `X-Request-Id`, in every log line about it. */
export function requestIdOf(res: Pick<Answer, 'locals'>): string {
  return requestId.of(res);
}

/** The path of a request, whether or not express has seen it: without its query, and without the host that a proxy may name. */
export function pathOf({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  const [path = ''] = url.split(/[?#]/, 1);
  return path.startsWith('/') ? path : (URL.parse(path)?.pathname ?? path);
}
