import type { Channel } from '@tidings/contracts';
import type { Request, RequestHandler, Response } from 'express';
import { setTimeout as delay } from 'node:timers/promises';
import type { FaultTable } from '../faults/fault-table.ts';

/** A refusal that a fault asks for, for the provider to say in its own words. */
export type Rejection = {
  readonly status: number;
  readonly code?: string;
  readonly retryAfterSeconds?: number;
};

/** Cuts the connection before the request is read: nothing of it was taken. */
export function resetIfFaulted(channel: Channel, faults: FaultTable): RequestHandler {
  return (req, _res, next) => {
    if (faults.strike(channel, 'reset') === undefined) next();
    else req.socket.resetAndDestroy();
  };
}

/** What is told of a request: taken, or refused. */
export type Outcome = { readonly refusal?: Rejection; readonly answer: (res: Response) => void };

/**
 * Tells what became of a request, late or never where a fault says so; what was taken stays taken. Where the answer is
 * dropped the connection ends without a word.
 */
export async function sendAnswer(
  channel: Channel,
  faults: FaultTable,
  {
    req,
    res,
    outcome,
  }: { readonly req: Request; readonly res: Response; readonly outcome: Outcome },
): Promise<void> {
  const late = faults.strike(channel, 'delay');
  if (late !== undefined) await delay(late.delayMs);
  const { refusal } = outcome;
  if (refusal === undefined && faults.strike(channel, 'drop_reply') !== undefined) {
    req.socket.destroy();
    return;
  }
  if (refusal?.retryAfterSeconds !== undefined)
    res.setHeader('Retry-After', String(refusal.retryAfterSeconds));
  outcome.answer(res);
}
