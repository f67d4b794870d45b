import { grantOf } from '@tidings/access';
import { readVapidPublicKey } from '@tidings/accounts/channel-settings';
import type { ClientConfig } from '@tidings/contracts/client-side';
import { LIMITS } from '@tidings/contracts/limits';
import type { RequestHandler } from 'express';
import type { ClientApiDependencies } from '../../dependencies.ts';
import type { SdkGuard } from '../../sdk/sdk-guard.ts';

/** `GET /sdk/v1/config`: the configuration that the SDK reads first. */
export function handleConfig(
  { db, clock }: Pick<ClientApiDependencies, 'db' | 'clock'>,
  { authorize }: SdkGuard,
): RequestHandler[] {
  const tell: RequestHandler = async (_req, res) => {
    const { applicationId, settings } = grantOf(res);
    const config: ClientConfig = {
      applicationId,
      serverTime: clock.now(),
      userTokens: settings.userTokens ?? 'required',
      vapidPublicKey: await readVapidPublicKey(db.sql, applicationId),
      limits: { bodyBytesMax: LIMITS.sdkBodyBytesMax },
    };
    res.setHeader('Cache-Control', 'no-store');
    res.json(config);
  };
  return [authorize, tell];
}
