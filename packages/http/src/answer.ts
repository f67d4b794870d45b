import type { HeaderList, Ids } from '@tidings/platform';
import { API_VERSION } from '@tidings/contracts/http';
import type { ServerResponse } from 'node:http';
import { requestValue, type Answer } from './request-value.ts';

const requestId = requestValue<string>('requestId');
const keptHeaders = requestValue<HeaderList>('keptHeaders');

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

/**
 * Keeps headers of a response without express until `sendJson` or an error response writes them:
 * setting them one by one costs more.
 */
export function keepHeaders(res: Answer, headers: HeaderList): void {
  keptHeaders.set(res, headers);
}

/** The headers of `keepHeaders`. */
export function readKeptHeaders(res: Pick<Answer, 'locals'>): HeaderList {
  return keptHeaders.find(res) ?? [];
}

/**
 * Sends a 200 response with a JSON text, the common headers, the kept ones and `headers`. Also with
 * express.
 */
export function sendJson(res: Answer, json: string, headers: HeaderList = []): void {
  // All headers in one call, as a flat list, which Node writes as it is.
  res.writeHead(200, [
    'X-Request-Id',
    requestIdOf(res),
    'API-Version',
    API_VERSION,
    ...readKeptHeaders(res),
    ...headers,
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    String(Buffer.byteLength(json)),
  ]);
  // A string is sent together with the headers in one write.
  res.end(json);
}

/** The request id: sent as `X-Request-Id` and part of every log line about the request. */
export function requestIdOf(res: Pick<Answer, 'locals'>): string {
  return requestId.of(res);
}
