import { isWebAddress, LINK_PURPOSES } from '@tidings/contracts';
import {
  attemptOf,
  createIdSigner,
  createReturnTokens,
  createSealedAddresses,
  linkOf,
  type AttemptId,
  type EncryptionKeys,
  type MailLink,
  type ReturnToken,
} from '@tidings/platform';

/** A mail whose recipient unsubscribes. */
export type UnsubscribeLink = AttemptId & {
  /** That the mail went to; null in the link of an older version, which does not name it. */
  readonly address: string | null;
};

/** Opens the tokens that worker-email signed into mails; null for all that it did not. */
export interface LinkReader {
  open(token: string): AttemptId | null;
  /** Only a link that leads into the Web. */
  click(token: string): MailLink | null;
  unsubscribe(token: string): UnsubscribeLink | null;
  bounce(token: string): ReturnToken | null;
}

export function createLinkReader(keys: string | EncryptionKeys): LinkReader {
  const opens = createIdSigner(keys, LINK_PURPOSES.open);
  const clicks = createIdSigner(keys, LINK_PURPOSES.click);
  const unsubscribes = createSealedAddresses(keys, LINK_PURPOSES.unsubscribe);
  const olderUnsubscribes = createIdSigner(keys, LINK_PURPOSES.unsubscribe);
  const bounces = createReturnTokens(keys, LINK_PURPOSES.bounce);
  return {
    open: (token) => attemptOf(opens.open(token)),
    click(token) {
      const link = linkOf(clicks.open(token));
      return link !== null && isWebAddress(link.url) ? link : null;
    },
    unsubscribe(token) {
      const addressed = unsubscribes.open(token);
      if (addressed !== null) return addressed;
      const attempt = attemptOf(olderUnsubscribes.open(token));
      return attempt && { ...attempt, address: null };
    },
    bounce: (token) => bounces.open(token),
  };
}
