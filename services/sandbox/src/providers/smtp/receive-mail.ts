import { setTimeout as delay } from 'node:timers/promises';
import type { SMTPServerDataStream } from 'smtp-server';
import type { ProviderContext } from '../provider.ts';
import { messagesOfMail, type Envelope } from './mail.ts';

/** The server's reply at the end of DATA. */
export type Reply =
  | { readonly type: 'accepted' }
  | { readonly type: 'refused'; readonly status: number; readonly text: string }
  | { readonly type: 'hang_up' };

/**
 * Receives one mail. Accepts it only when it is on disk, and keeps it even if the reply is late or
 * dropped: then the worker cannot know the outcome.
 */
export async function receiveMail(
  stream: SMTPServerDataStream,
  envelope: Envelope,
  { store, faults }: ProviderContext,
): Promise<Reply & { readonly raw: string }> {
  const raw = await readWhole(stream);
  if (stream.sizeExceeded)
    return {
      type: 'refused',
      status: 552,
      text: '5.3.4 The mail exceeds the size limit',
      raw: '',
    };

  const refusal = faults.strike('EMAIL', 'status');
  if (refusal === undefined) await store.keep(await messagesOfMail(raw, envelope));
  const late = faults.strike('EMAIL', 'delay');
  if (late !== undefined) await delay(late.delayMs);
  const text = raw.toString();
  if (refusal !== undefined)
    return { type: 'refused', status: refusal.status, text: replyText(refusal), raw: text };
  return {
    type: faults.strike('EMAIL', 'drop_reply') === undefined ? 'accepted' : 'hang_up',
    raw: text,
  };
}

/**
 * The text of a requested rejection: its enhanced status code (RFC 3463), if known, and a sentence.
 */
export function replyText({ code }: { readonly code?: string }): string {
  return `${code === undefined ? '' : `${code} `}Rejected by a fault of the sandbox`;
}

async function readWhole(stream: SMTPServerDataStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    // SMTP requires reading the rest of an oversized mail; it is not kept in memory.
    if (!stream.sizeExceeded && Buffer.isBuffer(chunk)) chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
