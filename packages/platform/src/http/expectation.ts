import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Tells a caller that waits with its body (`Expect: 100-continue`) to send it when the handler begins to read it: by then it is
 * decided that it is wanted. A request that is refused before that is answered without, and its connection ends, since
 * the caller may send the body or not, and what comes next could be taken for either.
 */
export function continueWhenRead(req: IncomingMessage, res: ServerResponse): void {
  req.once('resume', () => {
    // What is read behind an answer is dropped.
    if (!res.headersSent) res.writeContinue();
  });
}
