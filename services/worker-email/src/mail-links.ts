import { LINK_PATHS, LINK_PURPOSES } from '@tidings/contracts';
import {
  attemptParts,
  createIdSigner,
  createReturnTokens,
  createSealedAddresses,
  encryptionKeysOf,
  linkParts,
  type AttemptId,
} from '@tidings/platform';
import type { EmailConfig } from './config.ts';

/** The addresses of one mail. Each names the attempt by a signed token; only this service can read from them whose it is. */
export interface MailLinks {
  /** The address of ours that links begin with; empty without one. */
  readonly base: string;
  /** Whether there is an address of ours that a link could lead to. */
  readonly canTrack: boolean;
  /** Where the recipient unsubscribes; null without an address of ours. */
  readonly unsubscribe: string | null;
  /** By which reports about the mail are known. */
  readonly returnToken: string;
  /** The address of the picture that tells that the mail was opened. */
  open(): string;
  /** An address that leads to `url`, and tells that it was followed. */
  click(url: string, linkCount: number): string;
}

/** @param mail its attempt, and where it goes */
export type MailLinker = (mail: AttemptId & { readonly address: string }) => MailLinks;

/** Signs the addresses of mails. Without `PUBLIC_BASE_URL` mails have none. */
export function createMailLinker(
  config: Pick<EmailConfig, 'encryptionKey' | 'previousEncryptionKey' | 'publicBaseUrl'>,
): MailLinker {
  const keys = encryptionKeysOf(config);
  const opens = createIdSigner(keys, LINK_PURPOSES.open);
  const clicks = createIdSigner(keys, LINK_PURPOSES.click);
  const unsubscribes = createSealedAddresses(keys, LINK_PURPOSES.unsubscribe);
  const bounces = createReturnTokens(keys, LINK_PURPOSES.bounce);
  const base = config.publicBaseUrl.replace(/\/+$/, '');
  const canTrack = base !== '';
  return (attempt) => {
    const parts = attemptParts(attempt);
    let token: string | undefined;
    return {
      base,
      canTrack,
      // Sealed once, and only for a mail that has the link: it costs more than a signature.
      get unsubscribe() {
        return canTrack
          ? `${base}${LINK_PATHS.unsubscribe}/${(token ??= unsubscribes.seal(attempt))}`
          : null;
      },
      returnToken: bounces.sign(attempt, attempt.address),
      open: () => `${base}${LINK_PATHS.open}/${opens.sign(...parts)}`,
      click: (url, linkCount) =>
        `${base}${LINK_PATHS.click}/${clicks.sign(...linkParts({ ...attempt, url, linkCount }))}`,
    };
  };
}
