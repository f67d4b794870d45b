import { LINK_PATHS, MARKETING_SUPPRESSION, SUPPRESSIBLE_CHANNELS, type SuppressibleChannel } from '@tidings/contracts';
import { applyLaterOutcomes, findSubscriber, liftSuppression, noteDelivery, suppressAddress, type Subscriber } from '@tidings/db';
import { AppError, Counter, mountRoute } from '@tidings/platform';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import type { ClientApiDependencies } from '../../dependencies.ts';
import { CONTENT_SECURITY_POLICY, preferencePage } from './page.ts';

const changesTotal = new Counter({
  name: 'tidings_marketing_choices_total',
  help: 'What people chose at their unsubscribe links.',
  labelNames: ['choice'] as const,
});

const FORM_BYTES_MAX = 64 * 1024;
/** Whatever it says it is: RFC 8058 allows two kinds of forms, and nobody is kept from leaving by a third. */
const readBody = express.text({ type: () => true, limit: FORM_BYTES_MAX });

/**
 * `/u/{token}`, the address in `List-Unsubscribe`. GET shows a page and changes nothing, since scanners follow links; POST
 * acts: one click unsubscribes the channel of the mail (RFC 8058), and the page's own forms choose for each channel. No login, no
 * cookie, no redirect; saying it again changes nothing.
 */
export function mountUnsubscribe(app: Express, deps: ClientApiDependencies): void {
  const show: RequestHandler<{ token: string }> = async (req, res) => {
    const { subscriber } = await subscriberOf(req, deps);
    sendPage(res, { subscriber, isChanged: false });
  };
  const act: RequestHandler<{ token: string }> = async (req, res) => {
    const { deliveryId, subscriber: before } = await subscriberOf(req, deps);
    if (before !== null) await choose(deps, { deliveryId, before, form: new URLSearchParams(typeof req.body === 'string' ? req.body : '') });
    sendPage(res, { subscriber: await findSubscriber(deps.db.sql, deliveryId), isChanged: true });
  };
  mountRoute(app, `${LINK_PATHS.unsubscribe}/:token`, { GET: [show as RequestHandler], POST: [readBody, act as RequestHandler] });
}

async function subscriberOf(req: Request<{ token: string }>, { db, links }: ClientApiDependencies): Promise<{ deliveryId: string; subscriber: Subscriber | null }> {
  const attempt = links.unsubscribe(req.params.token);
  if (attempt === null) throw new AppError('not_found', 'This link is not one of ours, or not complete.');
  return { deliveryId: attempt.deliveryId, subscriber: await findSubscriber(db.sql, attempt.deliveryId) };
}

type Choice = { readonly deliveryId: string; readonly before: Subscriber; readonly form: URLSearchParams };

/** Does what the form asks for; a form that is none of ours is the one click. */
async function choose(deps: ClientApiDependencies, { deliveryId, before, form }: Choice): Promise<void> {
  const action = form.get('action');
  const wanted = new Set(form.getAll('marketing'));
  for (const channel of SUPPRESSIBLE_CHANNELS) {
    const address = before.addresses[channel];
    const isOfMail = channel === before.channel;
    if (address === undefined || (action !== 'save' && !isOfMail)) continue;
    const isWanted = action === 'save' ? wanted.has(channel) : action === 'resubscribe';
    const isChange = isWanted === before.unsubscribed.has(channel);
    if (isChange) await change(deps, { deliveryId, subscriber: before, channel, address, isWanted });
    // Also when it was so before: whoever was cut off then has told nobody. It is told once.
    if (isOfMail && !isWanted) await applyLaterOutcomes(deps.db, [{ deliveryId, outcome: 'unsubscribed' }]);
  }
}

type Change = { readonly deliveryId: string; readonly subscriber: Subscriber; readonly channel: SuppressibleChannel; readonly address: string; readonly isWanted: boolean };

async function change({ db }: ClientApiDependencies, { deliveryId, subscriber, channel, address, isWanted }: Change): Promise<void> {
  const suppression = { applicationId: subscriber.applicationId, channel, address, reason: MARKETING_SUPPRESSION } as const;
  const other = channel === subscriber.channel ? {} : { channel };
  // Together: what has changed is told, and nothing else.
  await db.transaction(async (sql) => {
    await (isWanted ? liftSuppression(sql, suppression) : suppressAddress(sql, suppression));
    if (isWanted) await noteDelivery(sql, { deliveryId, event: 'user.resubscribed', ...other });
    else if (other.channel !== undefined) await noteDelivery(sql, { deliveryId, event: 'user.unsubscribed', ...other });
  });
  changesTotal.inc({ choice: isWanted ? 'resubscribed' : 'unsubscribed' });
}

function sendPage(res: Response, facts: { readonly subscriber: Subscriber | null; readonly isChanged: boolean }): void {
  res.set({
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'Cache-Control': 'no-store, private',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Robots-Tag': 'noindex, nofollow',
  });
  res.type('html').send(preferencePage(facts));
}
