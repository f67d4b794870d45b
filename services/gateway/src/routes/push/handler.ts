import type { PushAccepted } from '@tidings/contracts';
import { acceptCampaign, isDatabaseAway, type NewCampaign } from '@tidings/db';
import { AppError, requestIdOf, retryAfterSeconds } from '@tidings/platform';
import type { RequestHandler } from 'express';
import { grantOf } from '../../auth/authenticate.ts';
import type { GatewayDependencies } from '../../dependencies.ts';
import { dryRun } from './dry-run.ts';
import { expiryMs } from './expiry.ts';
import { readPush } from './read-push.ts';

/** `POST /push`: validates, stores the campaign durably, answers with its id; sending begins behind the answer. A dry run only tells who would be reached. */
export function handlePush({
  db,
  admission,
  announcer,
  clock,
  ids,
  logger,
}: Pick<GatewayDependencies, 'db' | 'admission' | 'announcer' | 'clock' | 'ids' | 'logger'>): RequestHandler {
  return async (req, res) => {
    const grant = grantOf(res);
    const requestId = requestIdOf(res);
    const { push, warnings } = readPush(req.body as Buffer);
    const { channel, message, recipients } = push;
    const orUnavailable = <T>(work: Promise<T>): Promise<T> =>
      admission.hold(res, work).catch((error: unknown) => {
        // The push deadline is Postgres's statement timeout, which counts as away too; anything else is a bug.
        if (!isDatabaseAway(error)) throw error;
        logger.warn({ err: error, requestId }, 'push could not be handled');
        throw new AppError('unavailable', 'The request could not be handled right now. Try again.', {
          cause: error,
          retryAfterSeconds: retryAfterSeconds(),
        });
      });
    if (push.dryRun === true) {
      res.json(await orUnavailable(dryRun(db, grant.applicationId, push)));
      return;
    }

    const campaignId = ids.uuid();
    const createdAt = clock.now();

    const campaign: NewCampaign = {
      campaignId,
      applicationId: grant.applicationId,
      channel,
      purpose: push.purpose ?? 'transactional',
      source: 'api',
      message,
      recipients,
      createdBy: `key:${grant.keyName}`,
      requestId,
      createdAt,
      expiresAt: createdAt + expiryMs(channel, message),
    };
    const accepted = await orUnavailable(acceptCampaign(db, campaign));
    announcer.announce(campaignId);

    const answer: PushAccepted = {
      campaignId,
      status: 'queued',
      channel,
      recipients: { requested: recipients.length, unique: accepted.unique },
      createdAt,
      requestId,
      warnings,
    };
    res.setHeader('Location', `/api/v1/campaigns/${campaignId}`);
    res.json(answer);
  };
}
