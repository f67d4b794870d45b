import type { Channel } from '@tidings/contracts/channels/channels';
import type { Request, RequestHandler, Response } from 'express';
import { setTimeout as delay } from 'node:timers/promises';
import type { FaultTable } from '../faults/fault-table.ts';

/** A rejection requested by a fault, in a form common to all providers. */
export type Rejection = {
  readonly status: number;
  readonly code?: string;
  readonly retryAfterSeconds?: number;
};

/** Cuts the connection before the request is read: nothing was accepted. */
export function resetIfFaulted(channel: Channel, faults: FaultTable): RequestHandler {
  return (req, _res, next) => {
    if (faults.strike(channel, 'reset') === undefined) next();
    else req.socket.resetAndDestroy();
  };
}

/** The response of a provider: accepted, or rejected. */
export type Outcome = { readonly refusal?: Rejection; readonly answer: (res: Response) => void };

/**
 * Sends the response, late or not at all if a fault says so; an accepted message stays accepted. A
 * dropped response closes the connection.
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
