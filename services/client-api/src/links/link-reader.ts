import { isWebAddress, LINK_PURPOSES } from '@tidings/contracts/push/links';
import {
  parseAttempt,
  createIdSigner,
  createReturnTokens,
  createSealedAddresses,
  parseLink,
  type AttemptId,
  type EncryptionKeys,
  type MailLink,
  type ReturnToken,
} from '@tidings/platform';

/** The e-mail that an unsubscribe link belongs to. */
export type UnsubscribeLink = AttemptId & {
  /** The recipient address. Null for links of older versions, which do not contain it. */
  readonly address: string | null;
};

/**
 * What a program took into a link that stands in a text: a full stop, a bracket, a quote. Tokens end
 * with a letter, a digit, `-` or `_`.
 */
const CLOSING_PUNCTUATION = /[^\w-]+$/;
/** Programs add few. To look for more would be quadratic in what a caller sends. */
const PUNCTUATION_CHARS_MAX = 8;
const withoutPunctuation = (token: string): string =>
  token.slice(0, -PUNCTUATION_CHARS_MAX) +
  token.slice(-PUNCTUATION_CHARS_MAX).replace(CLOSING_PUNCTUATION, '');

/**
 * Verifies the tokens that worker-email signs into e-mails. Returns null for invalid ones.
 * Punctuation behind the token of a link does not matter.
 */
export interface LinkReader {
  open(token: string): AttemptId | null;
  /** Null unless the target is an http or https URL. */
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
    open: (token) => parseAttempt(opens.open(withoutPunctuation(token))),
    click(token) {
      const link = parseLink(clicks.open(withoutPunctuation(token)));
      return link !== null && isWebAddress(link.url) ? link : null;
    },
    unsubscribe(received) {
      const token = withoutPunctuation(received);
      const addressed = unsubscribes.open(token);
      if (addressed !== null) return addressed;
      const attempt = parseAttempt(olderUnsubscribes.open(token));
      return attempt && { ...attempt, address: null };
    },
    bounce: (token) => bounces.open(token),
  };
}
