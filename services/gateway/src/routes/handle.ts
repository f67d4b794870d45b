import type { Answer } from '@tidings/http/request-value';
import type { IncomingMessage } from 'node:http';

/** Handles an admitted request whose body was read. A thrown error becomes the response. */
export type Handle = (req: IncomingMessage, res: Answer, body: Buffer) => Promise<void>;
