/** A reply of a phone. */
export type Reply = { readonly from: string; readonly body: string };

/** Posts a reply to the application, as the provider does. */
export type PostReply = (
  reply: Reply,
  signal: AbortSignal,
) => Promise<{ readonly url: string; readonly answer: Response }>;

/**
 * Senders used since the start, and the recipients that opted out. In memory only; secrets of
 * accounts are not stored.
 */
export interface SmsSenders {
  /** @param postReply null: the message named no callback URL, so the application is not known */
  note(sender: string, postReply: PostReply | null): void;
  /** A sender; the last used one if none is named. */
  of(
    sender?: string,
  ): { readonly sender: string; readonly postReply: PostReply | null } | undefined;
  isOptedOut(sender: string, phone: string): boolean;
  optOut(sender: string, phone: string): void;
  optIn(sender: string, phone: string): void;
}

export function createSmsSenders(): SmsSenders {
  const senders = new Map<string, PostReply | null>();
  const optedOut = new Set<string>();
  const key = (sender: string, phone: string): string => `${sender} ${phone}`;
  return {
    note(sender, postReply) {
      // Re-insert, so that the last used sender is last.
      senders.delete(sender);
      senders.set(sender, postReply);
    },
    of(named) {
      const sender = named ?? [...senders.keys()].at(-1);
      const postReply = sender === undefined ? undefined : senders.get(sender);
      return sender === undefined || postReply === undefined ? undefined : { sender, postReply };
    },
    isOptedOut: (sender, phone) => optedOut.has(key(sender, phone)),
    optOut: (sender, phone) => void optedOut.add(key(sender, phone)),
    optIn: (sender, phone) => void optedOut.delete(key(sender, phone)),
  };
}
