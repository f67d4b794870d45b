import { createValidator } from '@tidings/validation';
import { Type } from 'typebox';

/**
 * The demonstration shop's access to the service: application, keys and secret, as any application
 * has.
 */
export type ShopConnection = {
  readonly baseUrl: string;
  readonly applicationId: string;
  readonly clientKey: string;
  readonly serverKey: string;
  readonly userTokenSecret: string;
};

const text = Type.String({ minLength: 1, maxLength: 512 });
/** The value is put into a policy and scripts, so characters that would end them are forbidden. */
const plain = (pattern: string) => Type.String({ maxLength: 512, pattern });

export const parseConnection = createValidator<ShopConnection>(
  Type.Object({
    baseUrl: plain('^https?://[A-Za-z0-9.:\\[\\]-]+$'),
    applicationId: plain('^[A-Za-z0-9-]+$'),
    clientKey: plain('^[A-Za-z0-9_-]+$'),
    serverKey: text,
    userTokenSecret: text,
  }),
);
