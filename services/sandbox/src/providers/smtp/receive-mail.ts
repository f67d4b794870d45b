import { setTimeout as delay } from 'node:timers/promises';
import type { SMTPServerDataStream } from 'smtp-server';
import type { ProviderContext } from '../provider.ts';
import { messagesOfMail } from './mail.ts';

/** How the server answers the end of DATA. */
export type Reply =
  | { readonly type: 'accepted' }
  | { readonly type: 'refused'; readonly status: number; readonly text: string }
  | { readonly type: 'hang_up' };

/**
 * Takes one mail. It is accepted only when it is on the disk, and stays kept when the reply is late or never comes:
 * that is the state in which a worker cannot know what became of its mail.
 */
export async function receiveMail(
  stream: SMTPServerDataStream,
  recipients: readonly string[],
  { store, faults }: ProviderContext,
): Promise<Reply & { readonly raw: string }> {
  const raw = await readWhole(stream);
  if (stream.sizeExceeded)
    return {
      type: 'refused',
      status: 552,
      text: '5.3.4 The mail is larger than this server accepts',
      raw: '',
    };

  const refusal = faults.strike('EMAIL', 'status');
  if (refusal === undefined) await store.keep(await messagesOfMail(raw, recipients));
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

/** The text of a refusal that was asked for: the enhanced status code (RFC 3463), if one is known, and a sentence. */
export function replyText({ code }: { readonly code?: string }): string {
  return `${code === undefined ? '' : `${code} `}Refused by a fault of the sandbox`;
}

async function readWhole(stream: SMTPServerDataStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    // What is beyond the limit is read, as SMTP wants it, and not held.
    if (!stream.sizeExceeded && Buffer.isBuffer(chunk)) chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
