import { API_VERSION } from '@tidings/contracts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Ids } from '../ids.ts';
import { requestValue, type Answer } from './request-value.ts';

const requestId = requestValue<string>('requestId');

/** Gives a request its id where express does not see it. */
export function beginAnswer(res: ServerResponse, ids: Ids): Answer {
  const answer = Object.assign(res, { locals: {} });
  requestId.set(answer, ids.uuid());
  return answer;
}

/** Gives a request its id, and its answer the headers of every answer. */
export function headAnswer(res: Answer, ids: Ids): void {
  requestId.set(res, ids.uuid());
  setCommonHeaders(res);
}

/** The headers of every answer, for one that is not an error; an error writes them itself. */
export function setCommonHeaders(res: Answer): void {
  res.setHeader('X-Request-Id', requestIdOf(res));
  res.setHeader('API-Version', API_VERSION);
}

/** Answers with JSON, as express does. */
export function sendJson(res: ServerResponse, value: unknown): void {
  const body = JSON.stringify(value);
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(body);
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
