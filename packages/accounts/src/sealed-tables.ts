import type { Channel } from '@tidings/contracts';
import type { SealedTable } from '@tidings/postgres/renew-seals';
import { channelSealContext } from './channel-settings.ts';
import { userTokenSealContext } from './user-token-secrets.ts';

/** The tables of this package that hold sealed secrets. */
export const SEALED_ACCOUNT_SECRETS: readonly SealedTable[] = [
  {
    table: 'channel_settings',
    part: 'channel',
    contextOf: ({ applicationId, part }) => channelSealContext(applicationId, part as Channel),
  },
  {
    table: 'user_token_secrets',
    part: "''",
    contextOf: ({ applicationId }) => userTokenSealContext(applicationId),
  },
];
