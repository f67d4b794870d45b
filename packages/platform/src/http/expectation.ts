import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Sends `100 Continue` when the handler starts to read the body: only then is the body wanted. A
 * request that is rejected earlier gets no 100, and its connection is closed: the caller may or may
 * not send the body, and the next bytes would be ambiguous.
 */
export function continueWhenRead(req: IncomingMessage, res: ServerResponse): void {
  req.once('resume', () => {
    // Bytes read after the response are dropped.
    if (!res.headersSent) res.writeContinue();
  });
}
