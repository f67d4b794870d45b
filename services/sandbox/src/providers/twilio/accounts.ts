/** An account seen in requests: its auth token and callback URLs. */
export type TwilioAccount = {
  readonly accountSid: string;
  readonly authToken: string;
  readonly callbackUrl: string | null;
};

/**
 * Senders used since the start, and the recipients that opted out. In memory only; tokens are not
 * stored.
 */
export interface TwilioAccounts {
  note(sender: string, account: TwilioAccount): void;
  /** The account of a sender; of the last used sender if none is given. */
  of(sender?: string): { readonly sender: string; readonly account: TwilioAccount } | undefined;
  isOptedOut(sender: string, phone: string): boolean;
  optOut(sender: string, phone: string): void;
  optIn(sender: string, phone: string): void;
}

export function createTwilioAccounts(): TwilioAccounts {
  const accounts = new Map<string, TwilioAccount>();
  const optedOut = new Set<string>();
  const key = (sender: string, phone: string): string => `${sender} ${phone}`;
  return {
    note(sender, account) {
      // Re-insert, so that the last used sender is last.
      accounts.delete(sender);
      accounts.set(sender, account);
    },
    of(sender) {
      const name = sender ?? [...accounts.keys()].at(-1);
      const account = name === undefined ? undefined : accounts.get(name);
      return name === undefined || account === undefined ? undefined : { sender: name, account };
    },
    isOptedOut: (sender, phone) => optedOut.has(key(sender, phone)),
    optOut: (sender, phone) => void optedOut.add(key(sender, phone)),
    optIn: (sender, phone) => void optedOut.delete(key(sender, phone)),
  };
}
