/** Vonage fields of a message, stored in its `data`. */
export type VonageMessage = {
  readonly messageId: string;
  readonly from: string;
  readonly to: string;
  readonly clientRef: string | null;
  readonly webhookUrl: string | null;
  readonly segments: number;
  readonly encoding: string;
  readonly ttl: number | null;
  /** The code of a rejection: submitted first, rejected later. */
  readonly failsWith: string | null;
};

/** Numbers in E.164, as the sandbox shows them; a name stays. */
export const withPlus = (sender: string): string =>
  /^\d{7,15}$/.test(sender) ? `+${sender}` : sender;

export const withoutPlus = (number: string): string => number.replace(/^\+/, '');
