import { LINK_PATHS } from '@tidings/contracts/push/links';
import { mountRoute } from '@tidings/http/app';
import type { Express, RequestHandler } from 'express';
import type { ClientApiDependencies } from '../../dependencies.ts';
import { isMachineRequest } from '../../links/requesters.ts';

/** A transparent 1×1 GIF, the smallest image that every mail client shows. */
const PICTURE = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/**
 * `GET /t/o/{token}`: an e-mail was opened. The response is the same for valid and invalid tokens.
 */
export function mountOpen(app: Express, { links, linkHits }: ClientApiDependencies): void {
  const show: RequestHandler<{ token: string }> = (req, res) => {
    const attempt = links.open(req.params.token);
    if (attempt !== null)
      linkHits.record({
        kind: 'open',
        deliveryId: attempt.deliveryId,
        isMachine: isMachineRequest(req),
      });
    res.set({
      'Cache-Control': 'no-store, private',
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    });
    res.type('gif').send(PICTURE);
  };
  mountRoute(app, `${LINK_PATHS.open}/:token`, { GET: [show as RequestHandler] });
}
