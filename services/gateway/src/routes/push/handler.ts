import { grantOf } from '@tidings/access';
import { requestIdOf } from '@tidings/http/answer';
import { acceptPush, readPush, sendPushAnswer } from '@tidings/campaign-intake';
import type { GatewayDependencies } from '../../dependencies.ts';
import type { Handle } from '../handle.ts';

/**
 * `POST /push`: parses the request, stores the campaign durably (or runs the dry run), and
 * responds.
 */
export function handlePush(
  deps: Pick<
    GatewayDependencies,
    | 'db'
    | 'campaigns'
    | 'admissions'
    | 'campaignQueue'
    | 'deliveryRetentionDays'
    | 'clock'
    | 'ids'
    | 'logger'
  >,
): Handle {
  return async ({ headers }, res, body) => {
    const { applicationId, keyName } = grantOf(res);
    const push = await readPush({ applicationId, headers, body });
    const sender = {
      applicationId,
      source: 'api',
      createdBy: `key:${keyName}`,
      requestId: requestIdOf(res),
    } as const;
    // The role of the gateway reads no events, so it asks nothing about users.
    const accepted = acceptPush({ ...deps, questions: null }, push, sender);
    sendPushAnswer(res, await deps.admissions.push.hold(res, accepted));
  };
}
