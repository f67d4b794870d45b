import type { Channel } from '@tidings/contracts/channels/channels';
import type { EncryptedTable } from '@tidings/postgres/reencrypt-secrets';
import { channelSecretContext } from './channel-settings.ts';
import { userTokenSecretContext } from './user-token-secrets.ts';

/** The tables of this package that hold encrypted secrets. */
export const ENCRYPTED_ACCOUNT_TABLES: readonly EncryptedTable[] = [
  {
    table: 'channel_settings',
    part: 'channel',
    contextOf: ({ applicationId, part }) => channelSecretContext(applicationId, part as Channel),
  },
  {
    table: 'user_token_secrets',
    part: "''",
    contextOf: ({ applicationId }) => userTokenSecretContext(applicationId),
  },
];
