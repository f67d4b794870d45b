import { API_VERSION } from '@tidings/contracts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Ids } from '../ids.ts';
import { requestValue, type Answer } from './request-value.ts';

const requestId = requestValue<string>('requestId');

/** Starts a response without express: assigns the request id. */
export function beginAnswer(res: ServerResponse, ids: Ids): Answer {
  const answer = Object.assign(res, { locals: {} });
  requestId.set(answer, ids.uuid());
  return answer;
}

/** Assigns the request id and sets the common headers. */
export function headAnswer(res: Answer, ids: Ids): void {
  requestId.set(res, ids.uuid());
  setCommonHeaders(res);
}

/** Sets the headers common to all responses. Error responses write them themselves. */
export function setCommonHeaders(res: Answer): void {
  res.setHeader('X-Request-Id', requestIdOf(res));
  res.setHeader('API-Version', API_VERSION);
}

/** Sends JSON with the headers that express would send. */
export function sendJson(res: ServerResponse, value: unknown): void {
  const body = JSON.stringify(value);
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(body);
}

/** The request id: sent as `X-Request-Id` and part of every log line about the request. */
export function requestIdOf(res: Pick<Answer, 'locals'>): string {
  return requestId.of(res);
}

/**
 * The path of a request without its query, and without the host of an absolute-form URL. Works with
 * and without express.
 */
export function pathOf({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  const [path = ''] = url.split(/[?#]/, 1);
  return path.startsWith('/') ? path : (URL.parse(path)?.pathname ?? path);
}
