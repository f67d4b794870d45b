import { rateLimitedError } from '@tidings/access';
import { sendCampaignEndpoint } from '@tidings/api-spec/endpoints/campaigns';
import { LIMITS } from '@tidings/contracts/limits';
import { requestIdOf } from '@tidings/http/answer';
import { readJsonBody } from '@tidings/http/read-body';
import { acceptPush, readPush, sendPushAnswer, type DraftToSend } from '@tidings/campaign-intake';
import type { RequestHandler } from 'express';
import { AppError } from '@tidings/platform';
import { getActor, getApplicationId, getSettings } from '../../auth/access.ts';
import { addToAuditEntry, findRecorder } from '../../auth/audit.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { createQueryReader, type Route } from '../../http/route.ts';

/** `POST campaigns`: like `POST /push`, for every caller that may send here. */
export function sendRoute(deps: ApiDependencies): Route {
  const { admission } = deps;
  const readQuery = createQueryReader(sendCampaignEndpoint);
  return {
    ...sendCampaignEndpoint,
    readBody: [takeRoom(deps), readJsonBody(LIMITS.pushBodyBytesMax, admission)],
    handle: async (req, res) => {
      const applicationId = getApplicationId(res);
      const { holdSeconds = 0, ...query } = readQuery(req, res);
      const draft = readDraftOf(query);
      const push = await readPush({
        applicationId,
        headers: req.headers,
        body: req.body as Buffer,
      });
      const sender = {
        applicationId,
        source: 'dashboard',
        createdBy: getActor(res),
        requestId: requestIdOf(res),
      } as const;
      const accept = () =>
        admission.hold(
          res,
          acceptPush(deps, push, { ...sender, draft, holdMs: holdSeconds * 1_000 }),
        );
      if (draft !== null) addToAuditEntry(res, { draftId: draft.draftId });
      // Campaigns created with a key already contain its name, and a back end may create fifty per
      // second.
      const record = getActor(res).startsWith('key:')
        ? undefined
        : findRecorder(sendCampaignEndpoint, res);
      const { name, tags, channel, purpose, recipients, message, templateNames } = push;
      const call = {
        req,
        res,
        params: {},
        query: {},
        body: {
          ...(name !== null && { name }),
          ...(tags.length > 0 && { tags }),
          channel,
          purpose,
          recipients,
          ...(templateNames === null ? { message } : { template: templateNames }),
        },
      };
      // A dry run changes nothing.
      sendPushAnswer(
        res,
        await (record === undefined || push.isDryRun
          ? accept()
          : record({ endpoint: sendCampaignEndpoint, call }, accept)),
      );
    },
  };
}

/** @throws AppError `validation_failed` */
function readDraftOf({
  draftId,
  draftVersion,
}: {
  readonly draftId?: string;
  readonly draftVersion?: number;
}): DraftToSend | null {
  if (draftId === undefined && draftVersion === undefined) return null;
  if (draftId !== undefined && draftVersion !== undefined)
    return { draftId: draftId.toLowerCase(), version: draftVersion };
  const pointer = draftId === undefined ? '/draftId' : '/draftVersion';
  throw new AppError('validation_failed', 'The query is not valid. Nothing was sent.', {
    errors: [{ pointer, code: 'required', expected: 'draftId and draftVersion together' }],
  });
}

/** Checks memory and the application's rate limit before the body is read. */
function takeRoom({
  admission,
  rates,
}: Pick<ApiDependencies, 'admission' | 'rates'>): RequestHandler {
  return async (req, res, next) => {
    const noRoom = await admission.admit(req, res, {
      applicationId: getApplicationId(res),
      keyType: 'server',
      bytesMax: LIMITS.pushBodyBytesMax,
    });
    if (noRoom !== null) throw noRoom;
    const bucket = rates.bucketOf('push', {
      applicationId: getApplicationId(res),
      settings: getSettings(res),
    });
    if (bucket !== undefined && !(await bucket.take())) {
      throw rateLimitedError(
        'push',
        'The application exceeded its rate limit.',
        bucket.state().retryAfterSeconds,
      );
    }
    next();
  };
}
