import { LINK_PATHS, LINK_PURPOSES } from '@tidings/contracts/push/links';
import {
  attemptParts,
  createIdSigner,
  createReturnTokens,
  createSealedAddresses,
  readEncryptionKeys,
  linkParts,
  type AttemptId,
} from '@tidings/platform';

/**
 * The URLs in one e-mail. Each has a signed token of the attempt, readable only by this service.
 */
export interface MailLinks {
  /** Public base URL of links; empty without one. */
  readonly base: string;
  /** Whether the installation has a public URL. Without one there are no links. */
  readonly hasBase: boolean;
  /** Unsubscribe URL; null without a public URL. Reading it encrypts the address: ask `hasBase` first. */
  readonly unsubscribe: string | null;
  /** Token by which bounce reports are matched. */
  readonly returnToken: string;
  /** URL of the tracking pixel. */
  open(): string;
  /** Tracked URL that redirects to `url`. */
  click(url: string, linkCount: number): string;
}

/**
 * The URL for a mail that shows it. Such mails wait while the installation has no public URL.
 * @throws Error if there is none
 */
export function requireUnsubscribe({ unsubscribe }: MailLinks): string {
  if (unsubscribe === null) throw new Error('a mail shows an unsubscribe URL, and there is none');
  return unsubscribe;
}

/** @param mail the attempt and its address */
export type MailLinker = (mail: AttemptId & { readonly address: string }) => MailLinks;

/** Signs the URLs in e-mails. Without `PUBLIC_BASE_URL` there are none. */
export function createMailLinker(config: {
  readonly encryptionKey: string;
  readonly previousEncryptionKey: string;
  readonly publicBaseUrl: string;
}): MailLinker {
  const keys = readEncryptionKeys(config);
  const opens = createIdSigner(keys, LINK_PURPOSES.open);
  const clicks = createIdSigner(keys, LINK_PURPOSES.click);
  const unsubscribes = createSealedAddresses(keys, LINK_PURPOSES.unsubscribe);
  const bounces = createReturnTokens(keys, LINK_PURPOSES.bounce);
  const base = config.publicBaseUrl.replace(/\/+$/, '');
  const hasBase = base !== '';
  return (attempt) => {
    const parts = attemptParts(attempt);
    let token: string | undefined;
    return {
      base,
      hasBase,
      // Encrypted once, and only for e-mails with the link: it costs more than a signature.
      get unsubscribe() {
        return hasBase
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
