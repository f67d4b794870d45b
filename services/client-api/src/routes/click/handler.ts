import { LINK_PATHS } from '@tidings/contracts/push/links';
import { mountRoute } from '@tidings/http/app';
import { AppError } from '@tidings/platform';
import type { Express, RequestHandler } from 'express';
import type { ClientApiDependencies } from '../../dependencies.ts';
import { isMachineRequest } from '../../links/requesters.ts';

/**
 * `GET /t/c/{token}`: an e-mail link was clicked. Redirects only to the URL in the token, which
 * worker-email signed.
 */
export function mountClick(app: Express, { links, linkHits }: ClientApiDependencies): void {
  const follow: RequestHandler<{ token: string }> = (req, res) => {
    const link = links.click(req.params.token);
    const page = link && URL.parse(link.url);
    if (link === null || page === null)
      throw new AppError('not_found', 'This link is invalid or incomplete.');
    linkHits.record({
      kind: 'click',
      deliveryId: link.deliveryId,
      url: link.url,
      linkCount: link.linkCount,
      isMachine: isMachineRequest(req),
    });
    res.set({
      'Cache-Control': 'no-store, private',
      'Referrer-Policy': 'no-referrer',
      Location: page.href,
    });
    res.status(302).end();
  };
  mountRoute(app, `${LINK_PATHS.click}/:token`, { GET: [follow as RequestHandler] });
}
