/** An account as its requests showed it: who signs for it, and where its callbacks go. */
export type TwilioAccount = {
  readonly accountSid: string;
  readonly authToken: string;
  readonly callbackUrl: string | null;
};

/** The senders that were used since the start, and who told them to stop. In memory only: tokens are kept nowhere. */
export interface TwilioAccounts {
  note(sender: string, account: TwilioAccount): void;
  /** The account of a sender; of any sender, when none is named. */
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
      // The last one used comes last.
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
