import { rateLimited } from '@tidings/access';
import type { Endpoint } from '@tidings/api-spec/endpoint';
import { PushAnswerSchema, PushBody } from '@tidings/api-spec/openapi/gateway-schemas';
import {
  IDEMPOTENCY_KEY,
  PUSH_ANSWERS,
  PUSH_ANSWER_EXAMPLE,
  PUSH_ANSWER_HEADERS,
  PUSH_EXAMPLE,
  PUSH_RULES,
} from '@tidings/api-spec/openapi/pushing';
import { LIMITS } from '@tidings/contracts';
import { readJsonBody, requestIdOf } from '@tidings/platform';
import { acceptPush, readPush, sendPushAnswer } from '@tidings/push';
import type { RequestHandler } from 'express';
import { actorOf, applicationIdOf, settingsOf } from '../../auth/access.ts';
import { recorderFor } from '../../auth/audit.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import type { Route } from '../../http/route.ts';

const sendEndpoint: Endpoint = {
  method: 'POST',
  path: 'campaigns',
  access: 'reader',
  summary: 'Sends a message to users; 200 means that the campaign is durable',
  description: `As \`POST /push\`, and not with a Server key alone: its body, its answers, its rate. The campaign's source is \`api\`. ${PUSH_RULES}`,
  headers: [IDEMPOTENCY_KEY],
  body: PushBody,
  bodyExample: PUSH_EXAMPLE,
  recorded: ['channel', 'purpose'],
  answer: {
    status: 200,
    description: PUSH_ANSWERS,
    schema: PushAnswerSchema,
    example: PUSH_ANSWER_EXAMPLE,
    headers: PUSH_ANSWER_HEADERS,
  },
  refusals: [409, 429],
};

/** `POST campaigns`: what `POST /push` does, for whoever may send here. */
export function sendRoute(deps: ApiDependencies): Route {
  const { admission } = deps;
  return {
    ...sendEndpoint,
    readBody: [takeRoom(deps), readJsonBody(LIMITS.pushBodyBytesMax, admission)],
    handle: async (req, res) => {
      const push = readPush(req);
      const sender = {
        applicationId: applicationIdOf(res),
        source: 'dashboard',
        createdBy: actorOf(res),
        requestId: requestIdOf(res),
      } as const;
      const accept = () => admission.hold(res, acceptPush(deps, push, sender));
      // A campaign by a key names that key itself, and a back end may make fifty a second.
      const record = actorOf(res).startsWith('key:') ? undefined : recorderFor(sendEndpoint, res);
      const { channel, purpose, recipients, message } = push;
      const call = {
        req,
        res,
        params: {},
        query: {},
        body: { channel, purpose, recipients, message },
      };
      // A dry run changes nothing.
      sendPushAnswer(
        res,
        await (record === undefined || push.isDryRun
          ? accept()
          : record({ endpoint: sendEndpoint, call }, accept)),
      );
    },
  };
}

/** Before the body is read: whether there is memory for it, and whether the application comes too often. */
function takeRoom({
  admission,
  rates,
}: Pick<ApiDependencies, 'admission' | 'rates'>): RequestHandler {
  return async (req, res, next) => {
    const noRoom = await admission.enter(req, res, {
      applicationId: applicationIdOf(res),
      keyType: 'server',
      bytesMax: LIMITS.pushBodyBytesMax,
    });
    if (noRoom !== null) throw noRoom;
    const bucket = rates.bucketOf('push', {
      applicationId: applicationIdOf(res),
      settings: settingsOf(res),
    });
    if (bucket !== undefined && !(await bucket.take())) {
      throw rateLimited(
        'push',
        'The application sends more requests than its rate allows.',
        bucket.state().retryAfterSeconds,
      );
    }
    next();
  };
}
