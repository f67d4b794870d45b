import { setCommonHeaders } from '@tidings/http/answer';
import type { Answer } from '@tidings/http/request-value';
import type { IncomingMessage } from 'node:http';

/** Whether a browser opens this address: GET or HEAD with `text/html` in `Accept`. A wildcard does not count: curl sends it. */
export function asksForPage({
  method,
  headers: { accept = '' },
}: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'text/html' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/** 303: the address is for POST, and its page is elsewhere. Not stored, because other values of `Accept` get 405. */
export function redirectToDashboard(res: Answer, dashboardUrl: string): void {
  setCommonHeaders(res);
  res.setHeader('Location', dashboardUrl);
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Vary', 'Accept');
  res.setHeader('Content-Length', 0);
  res.writeHead(303).end();
}
