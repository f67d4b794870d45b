import { grantOf } from '@tidings/access';
import type { PushAccepted } from '@tidings/contracts';
import { isDatabaseAway, type NewCampaign } from '@tidings/db';
import { AppError, currentTraceparent, requestIdOf, retryAfterSeconds, traceIdFrom } from '@tidings/platform';
import type { RequestHandler, Response } from 'express';
import type { GatewayDependencies } from '../../dependencies.ts';
import { dryRun } from './dry-run.ts';
import { expiryMs } from './expiry.ts';
import { hashOfBody, readIdempotencyKey } from './idempotency-key.ts';
import { readPush, type Push } from './read-push.ts';
import { withChannelWarning } from './warnings.ts';

type Dependencies = Pick<GatewayDependencies, 'db' | 'campaigns' | 'admission' | 'announcer' | 'clock' | 'ids' | 'logger'>;

/**
 * `POST /push`: validates, stores the campaign durably, answers with its id; sending begins behind the answer. A
 * repetition, by its Idempotency-Key, gets the answer of the first. A dry run only tells who would be reached.
 */
export function handlePush(deps: Dependencies): RequestHandler {
  const { db, campaigns, admission, announcer, logger } = deps;
  return async (req, res) => {
    const bytes = req.body as Buffer;
    const { key, faults } = readIdempotencyKey(req.headers);
    const push = readPush(bytes, faults);
    const orUnavailable = <T>(work: Promise<T>): Promise<T> =>
      admission.hold(res, work).catch((error: unknown) => {
        // The push deadline is Postgres's statement timeout too, which counts as away; anything else is a bug.
        const isUnavailable = error instanceof AppError && error.code === 'unavailable';
        if (!isUnavailable && !isDatabaseAway(error)) throw error;
        logger.warn({ err: error, requestId: requestIdOf(res) }, 'push could not be handled');
        throw isUnavailable ? error : new AppError('unavailable', CANNOT, { cause: error, retryAfterSeconds: retryAfterSeconds() });
      });
    if (push.isDryRun) {
      res.json(await orUnavailable(dryRun(db, grantOf(res).applicationId, push)));
      return;
    }

    const { campaign, answer } = begin(deps, res, { ...push, traceId: traceIdFrom(currentTraceparent() ?? req.header('traceparent')) });
    const idempotency = key === null ? undefined : { key, bodyHash: hashOfBody(bytes), answer: JSON.stringify(answer) };
    const accepted = await orUnavailable(campaigns.accept({ ...campaign, ...(idempotency && { idempotency }) }, bytes.length));
    if (accepted.outcome === 'conflict') throw new AppError('idempotency_conflict', 'This Idempotency-Key came with another body before.');
    if (accepted.outcome === 'replayed') {
      res.setHeader('Idempotent-Replay', 'true');
      send(res, JSON.parse(accepted.answer) as PushAccepted, accepted.isUntested);
      return;
    }
    announcer.announce(campaign.campaignId);
    send(res, answer, accepted.isUntested);
  };
}

const CANNOT = 'The request could not be handled right now. Try again.';

/** A campaign that is not stored yet, and what its caller will be told. */
function begin({ clock, ids }: Dependencies, res: Response, push: Push & { readonly traceId: string }): { readonly campaign: NewCampaign; readonly answer: PushAccepted } {
  const { channel, message, recipients, purpose, warnings, traceId } = push;
  const grant = grantOf(res);
  const requestId = requestIdOf(res);
  const campaignId = ids.uuid();
  const createdAt = clock.now();
  return {
    campaign: {
      campaignId,
      applicationId: grant.applicationId,
      channel,
      purpose,
      source: 'api',
      message,
      recipients,
      createdBy: `key:${grant.keyName}`,
      requestId,
      traceId,
      traceparent: currentTraceparent(),
      createdAt,
      expiresAt: createdAt + expiryMs(channel, message),
    },
    answer: { campaignId, status: 'queued', channel, recipients: { requested: recipients.length, unique: new Set(recipients).size }, createdAt, requestId, warnings },
  };
}

function send(res: Response, answer: PushAccepted, isUntested: boolean): void {
  res.setHeader('Location', `/api/v1/campaigns/${answer.campaignId}`);
  res.json({ ...answer, warnings: withChannelWarning(answer.warnings, isUntested) });
}
