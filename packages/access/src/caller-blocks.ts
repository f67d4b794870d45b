import type { ClientAddressReader } from '@tidings/http/client-address';
import { addressBlock, plainAddress, networkScope, type Logger } from '@tidings/platform';
import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';

/** Network blocks of callers on the internet. */
export interface CallerBlocks {
  /**
   * The IPv4 address or IPv6 /64 of a caller. '' for an unreadable address; null for private and
   * loopback addresses.
   */
  blockOf(req: IncomingMessage): string | null;
}

const CALLERS_MAX = 10_000;
/** Longer sources are not cached: a caller can make them as long as all headers. */
const SAID_CHARS_MAX = 256;
/** Cached for an address that is not on the internet. */
const UNLIMITED = '-';
const UNKNOWN_PROXY =
  'Client-key requests arrive from a private address. If it is a proxy, add it to TRUSTED_PROXIES; until then per-address rates limit no visitor';

/**
 * Reads callers by `clientAddressOf`. Logs one warning if they seem to arrive through an untrusted
 * proxy.
 */
export function createCallerBlocks(
  clientAddressOf: ClientAddressReader,
  logger: Pick<Logger, 'warn'>,
): CallerBlocks {
  const blocks = new LRUCache<string, string>({ max: CALLERS_MAX });
  let hasWarned = false;
  const warnOfProxy = (req: IncomingMessage): void => {
    const reach = networkScope(clientAddressOf(req) ?? '');
    // A loopback caller is a local program, unless it forwards a public address: then it is a
    // proxy.
    if (reach === 'loopback' && !namesVisitor(req.headers['x-forwarded-for'])) return;
    hasWarned = true;
    logger.warn({}, UNKNOWN_PROXY);
  };
  const readBlock = (req: IncomingMessage): string => {
    const address = clientAddressOf(req);
    if (address === null) return '';
    return networkScope(address) === 'public' ? addressBlock(address) : UNLIMITED;
  };
  return {
    blockOf(req) {
      // Parsing an address is the most expensive step of authorization, so the result is cached.
      const said = `${req.socket.remoteAddress ?? ''} ${String(req.headers['x-forwarded-for'] ?? '')}`;
      let block = blocks.get(said);
      if (block === undefined) {
        block = readBlock(req);
        if (said.length <= SAID_CHARS_MAX) blocks.set(said, block);
      }
      if (block !== UNLIMITED) return block;
      if (!hasWarned) warnOfProxy(req);
      return null;
    },
  };
}

function namesVisitor(forwardedFor: IncomingMessage['headers'][string]): boolean {
  const last =
    String(forwardedFor ?? '')
      .split(',')
      .at(-1)
      ?.trim() ?? '';
  const visitor = plainAddress(last);
  return visitor !== null && networkScope(visitor) === 'public';
}
