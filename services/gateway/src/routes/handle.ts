import type { Answer } from '@tidings/platform';
import type { IncomingMessage } from 'node:http';

/** Answers a request that was let in and whose body has been read; what it throws is answered as an error. */
export type Handle = (req: IncomingMessage, res: Answer, body: Buffer) => Promise<void>;
