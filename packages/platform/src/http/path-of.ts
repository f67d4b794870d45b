import type { IncomingMessage } from 'node:http';

/**
 * The path of a request without its query, and without the host of an absolute-form URL. Works with
 * and without express.
 */
export function pathOf({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  const [path = ''] = url.split(/[?#]/, 1);
  return path.startsWith('/') ? path : (URL.parse(path)?.pathname ?? path);
}
