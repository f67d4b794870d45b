import { isMailbox } from '@tidings/contracts/channels/addresses';
import { MARKETING_SUPPRESSION } from '@tidings/contracts/channels/suppression-reasons';
import {
  SUPPRESSIBLE_CHANNELS,
  type SuppressibleChannel,
} from '@tidings/contracts/channels/suppressions';
import { LINK_PATHS } from '@tidings/contracts/push/links';
import { applyDeliveryUpdates } from '@tidings/delivery/delivery-updates';
import { logDeliveryEvent } from '@tidings/delivery/log-delivery-event';
import { unsubscribeByOlderLink } from '@tidings/delivery/unsubscribe-by-older-link';
import {
  findSubscriber,
  unsuppressAddress,
  suppressAddress,
  type Subscriber,
} from '@tidings/people/suppressions';
import { mountRoute } from '@tidings/http/app';
import { AppError, Counter } from '@tidings/platform';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import type { ClientApiDependencies } from '../../dependencies.ts';
import type { UnsubscribeLink } from '../../links/link-reader.ts';
import {
  CONTENT_SECURITY_POLICY,
  isAddressUnknown,
  preferencePage,
  type PageFacts,
} from './page.ts';

const changesTotal = new Counter({
  name: 'tidings_marketing_choices_total',
  help: 'Choices on the unsubscribe page.',
  labelNames: ['choice'] as const,
});

const FORM_BYTES_MAX = 64 * 1024;
/**
 * Accepts any content type: RFC 8058 allows two, and a wrong one must not prevent unsubscribing.
 */
const readBody = express.text({ type: () => true, limit: FORM_BYTES_MAX });

/**
 * `/u/{token}`, the URL in `List-Unsubscribe`. GET shows a page and changes nothing, because
 * scanners follow links. POST acts: one-click unsubscribes the address that the mail was sent to
 * (RFC 8058); the forms of the page choose per channel. No login, no cookie, no redirect. Repeats
 * change nothing.
 */
export function mountUnsubscribe(app: Express, deps: ClientApiDependencies): void {
  const show: RequestHandler<{ token: string }> = async (req, res) => {
    const subscriber = await subscriberBy(readLink(req, deps), deps);
    sendPage(res, { subscriber, isChanged: false });
  };
  const act: RequestHandler<{ token: string }> = async (req, res) => {
    const link = readLink(req, deps);
    const form = new URLSearchParams(typeof req.body === 'string' ? req.body : '');
    const before = await subscriberBy(link, deps);
    if (before !== null && isAddressUnknown(before))
      return sendPage(res, await unsubscribeTyped(deps, { ...link, before, form }));
    if (before !== null) await choose(deps, { ...link, before, form });
    return sendPage(res, { subscriber: await subscriberBy(link, deps), isChanged: true });
  };
  mountRoute(app, `${LINK_PATHS.unsubscribe}/:token`, {
    GET: [show as RequestHandler],
    POST: [readBody, act as RequestHandler],
  });
}

function readLink(
  req: Request<{ token: string }>,
  { links }: ClientApiDependencies,
): UnsubscribeLink {
  const link = links.unsubscribe(req.params.token);
  if (link === null) throw new AppError('not_found', 'This link is invalid or incomplete.');
  return link;
}

const subscriberBy = (
  { deliveryId, address }: UnsubscribeLink,
  { db }: ClientApiDependencies,
): Promise<Subscriber | null> => findSubscriber(db.sql, deliveryId, address);

type Choice = {
  readonly deliveryId: string;
  readonly before: Subscriber;
  readonly form: URLSearchParams;
};

/** Applies the form. An unknown form counts as one-click unsubscribe. */
async function choose(
  deps: ClientApiDependencies,
  { deliveryId, before, form }: Choice,
): Promise<void> {
  const action = form.get('action');
  const wanted = new Set(form.getAll('marketing'));
  for (const channel of SUPPRESSIBLE_CHANNELS) {
    const address = before.addresses[channel];
    const isOfMail = channel === before.channel;
    if (address === undefined || (action !== 'save' && !isOfMail)) continue;
    const isWanted = action === 'save' ? wanted.has(channel) : action === 'resubscribe';
    const isChange = isWanted === before.unsubscribed.has(channel);
    if (isChange)
      await change(deps, { deliveryId, subscriber: before, channel, address, isWanted });
    // Also if already unsubscribed: an earlier attempt may have failed before this update. The
    // event is sent only once.
    if (isOfMail && !isWanted)
      await applyDeliveryUpdates(deps.db, [{ deliveryId, outcome: 'unsubscribed' }]);
  }
}

/**
 * For links of an older version, which do not contain the address, after the profile changed: the
 * page asks for the address. The answer is unverified, so each link can unsubscribe one address and
 * resubscribe none.
 */
async function unsubscribeTyped(
  deps: ClientApiDependencies,
  { deliveryId, before, form }: Choice,
): Promise<PageFacts> {
  if (form.get('action') !== 'unsubscribe') {
    throw new AppError(
      'conflict',
      'This link does not contain the address of the mail. Open it in a browser and enter the address.',
    );
  }
  const typed = form.get('address')?.trim() ?? '';
  if (before.hasUnsubscribed || !isMailbox(typed))
    return { subscriber: before, isChanged: !before.hasUnsubscribed };
  const isChanged = await unsubscribeByOlderLink(deps.db, {
    deliveryId,
    applicationId: before.applicationId,
    address: typed,
  });
  if (isChanged) changesTotal.inc({ choice: 'unsubscribed' });
  return { subscriber: { ...before, hasUnsubscribed: true }, isChanged };
}

type Change = {
  readonly deliveryId: string;
  readonly subscriber: Subscriber;
  readonly channel: SuppressibleChannel;
  readonly address: string;
  readonly isWanted: boolean;
};

async function change(
  { db }: ClientApiDependencies,
  { deliveryId, subscriber, channel, address, isWanted }: Change,
): Promise<void> {
  const suppression = {
    applicationId: subscriber.applicationId,
    channel,
    address,
    reason: MARKETING_SUPPRESSION,
  } as const;
  const other = channel === subscriber.channel ? {} : { channel };
  // One transaction: an event is stored exactly if the change is.
  await db.transaction(async (sql) => {
    await (isWanted ? unsuppressAddress(sql, suppression) : suppressAddress(sql, suppression));
    if (isWanted) await logDeliveryEvent(sql, { deliveryId, event: 'user.resubscribed', ...other });
    else if (other.channel !== undefined)
      await logDeliveryEvent(sql, { deliveryId, event: 'user.unsubscribed', ...other });
  });
  changesTotal.inc({ choice: isWanted ? 'resubscribed' : 'unsubscribed' });
}

function sendPage(res: Response, facts: PageFacts): void {
  res.set({
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'Cache-Control': 'no-store, private',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Robots-Tag': 'noindex, nofollow',
  });
  res.type('html').send(preferencePage(facts));
}
