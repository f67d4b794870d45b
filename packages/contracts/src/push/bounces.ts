/**
 * What a refusal of a mail server means, in its reply or in a mail that came back. Only `no_mailbox`
 * suppresses the address.
 */
export const BOUNCE_CLASSES = [
  /** The mailbox does not exist, or is disabled for good. */
  'no_mailbox',
  'mailbox_full',
  /** The sender or the content was refused. */
  'refused',
  /** A rule of the receiver, or a rate. */
  'policy',
  'temporary',
  'unknown',
] as const;
export type BounceClass = (typeof BOUNCE_CLASSES)[number];

export type Bounce = {
  readonly class: BounceClass;
  /** What decided: a status code, a known phrase in quotes, or both. Never names a person. */
  readonly evidence: string;
};

export type BounceCounts = Readonly<Partial<Record<BounceClass, number>>>;
