import { compileValidator } from '@tidings/platform';
import { Type } from 'typebox';

/** What the demonstration shop knows of the service, as any customer of it: its application, keys and secret. */
export type ShopConnection = {
  readonly baseUrl: string;
  readonly applicationId: string;
  readonly clientKey: string;
  readonly serverKey: string;
  readonly userTokenSecret: string;
};

const text = Type.String({ minLength: 1, maxLength: 512 });
/** It stands in a policy and in scripts of the page, so it has nothing that would end them. */
const plain = (pattern: string) => Type.String({ maxLength: 512, pattern });

export const parseConnection = compileValidator<ShopConnection>(
  Type.Object({
    baseUrl: plain('^https?://[A-Za-z0-9.:\\[\\]-]+$'),
    applicationId: plain('^[A-Za-z0-9-]+$'),
    clientKey: plain('^[A-Za-z0-9_-]+$'),
    serverKey: text,
    userTokenSecret: text,
  }),
);
