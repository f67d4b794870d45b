import type { EncryptedTable } from '@tidings/postgres/reencrypt-secrets';
import { accountSecretContext, channelSecretContext } from './channel-settings.ts';
import { userTokenSecretContext } from './user-token-secrets.ts';

/** The tables of this package that hold encrypted secrets. */
export const ENCRYPTED_ACCOUNT_TABLES: readonly EncryptedTable[] = [
  {
    table: 'channel_settings',
    part: 'channel',
    contextOf: ({ applicationId, part }) => channelSecretContext(applicationId, part),
  },
  {
    table: 'channel_accounts',
    part: "channel || '|' || name",
    contextOf: ({ applicationId, part }) => {
      const [channel = '', name = ''] = part.split('|');
      return accountSecretContext(applicationId, channel, name);
    },
  },
  {
    table: 'user_token_secrets',
    part: "''",
    contextOf: ({ applicationId }) => userTokenSecretContext(applicationId),
  },
];
