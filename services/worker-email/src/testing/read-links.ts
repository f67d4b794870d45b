import { LINK_PATHS, LINK_PURPOSES } from '@tidings/contracts/push/links';
import { parseAttempt, createIdSigner, createSealedAddresses, parseLink } from '@tidings/platform';
import { TEST_CONFIG } from './smtp.ts';

const { encryptionKey: key, publicBaseUrl: base } = TEST_CONFIG;
const opens = createIdSigner(key, LINK_PURPOSES.open);
const clicks = createIdSigner(key, LINK_PURPOSES.click);
const unsubscribes = createSealedAddresses(key, LINK_PURPOSES.unsubscribe);
const urls = (path: string) =>
  new RegExp(`${(base + path).replaceAll('.', '\\.')}/([\\w.-]+)`, 'g');
const PIXEL = new RegExp(`<img src="${urls(LINK_PATHS.open).source}" width="1"[^>]*>`, 'g');

/** A text with what links of ours hold in their places. A link that does not open stays. */
export function readLinks(text: string): string {
  return text
    .replaceAll(PIXEL, (pixel, token: string) =>
      parseAttempt(opens.open(token)) === null ? pixel : '[pixel]',
    )
    .replaceAll(urls(LINK_PATHS.click), (url, token: string) => {
      const link = parseLink(clicks.open(token));
      return link === null ? url : `[click ${link.url}]`;
    })
    .replaceAll(urls(LINK_PATHS.unsubscribe), (url, token: string) => {
      const opened = unsubscribes.open(token);
      return opened === null ? url : `[unsubscribe ${opened.address}]`;
    });
}
