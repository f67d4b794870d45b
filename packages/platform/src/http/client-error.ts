import { API_VERSION, PROBLEM_TYPE } from '@tidings/contracts/http';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../app-error.ts';
import { systemIds } from '../ids.ts';
import { toProblem } from './problem.ts';

/** How long a rejected connection is drained, so a TCP reset does not discard its response. */
const LINGER_MS = 2_000;

/**
 * Answers errors of the HTTP parser, which never reach a request handler, in the format of all
 * errors. `last` is the latest response on this connection.
 */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Socket,
  last?: ServerResponse,
): void {
  if (last !== undefined && !last.headersSent && last.req.complete && !last.destroyed) {
    // The error belongs to data after a request in progress: send its response first.
    last.once('close', () => answerClientError(error, socket, last));
    return;
  }
  // This request already got its response; a second one would confuse the client.
  const isAnswered = last?.headersSent === true && !(last.writableFinished && last.req.complete);
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswered) {
    socket.destroy();
    return;
  }
  endWith(socket, toClientError(error));
}

/** Rejects CONNECT. Node delivers it separately from other requests. */
export function answerConnect(socket: Socket): void {
  socket.on('error', () => socket.destroy());
  endWith(
    socket,
    new AppError('method_not_allowed', 'CONNECT is not allowed: this server is not a proxy.'),
    'Allow: \r\n',
  );
}

function endWith(socket: Socket, error: AppError, headers = ''): void {
  const requestId = systemIds.uuid();
  const problem = toProblem(error, requestId);
  const body = JSON.stringify(problem);
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.title}\r\nConnection: close\r\nX-Request-Id: ${requestId}\r\nAPI-Version: ${API_VERSION}\r\n${headers}` +
      `Content-Type: ${PROBLEM_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  // Closing with unread bytes resets the connection, and the caller may never get the response. So
  // drain it.
  socket.removeAllListeners('data').on('data', () => undefined);
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger));
}

function toClientError({ code }: NodeJS.ErrnoException): AppError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new AppError('headers_too_large', 'The headers are larger than 16 KiB.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new AppError('request_timeout', 'The request did not arrive in time.');
  return new AppError('invalid_json', 'The request is not valid HTTP.');
}
