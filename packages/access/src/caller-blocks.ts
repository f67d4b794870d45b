import {
  addressBlock,
  plainAddress,
  networkScope,
  type ClientAddressReader,
  type Logger,
} from '@tidings/platform';
import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';

/** What one caller holds of the internet. */
export interface CallerBlocks {
  /** The IPv4 address or IPv6 /64 of a caller, '' for an unreadable address; null inside private networks and on this machine. */
  blockOf(req: IncomingMessage): string | null;
}

const CALLERS_MAX = 10_000;
/** Longer ones are read each time: a caller may make them as long as all headers. */
const SAID_CHARS_MAX = 256;
/** What stands for an address that is not on the internet. */
const UNLIMITED = '-';
const UNKNOWN_PROXY =
  'requests with a Client key come from a private address: if it is a proxy, name it in TRUSTED_PROXIES; until then the rate for each address limits no visitor';

/** Callers as `clientAddressOf` sees them. It warns once when they seem to come through a proxy that is not trusted. */
export function createCallerBlocks(
  clientAddressOf: ClientAddressReader,
  logger: Pick<Logger, 'warn'>,
): CallerBlocks {
  const blocks = new LRUCache<string, string>({ max: CALLERS_MAX });
  let hasWarned = false;
  const warnOfProxy = (req: IncomingMessage): void => {
    const reach = networkScope(clientAddressOf(req) ?? '');
    // A program on this machine needs no proxy. One that names a visitor is a proxy.
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
      // To read an address costs more than all else that is decided of a request.
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
