import { expect, test } from '@jest/globals';
import { buildCallbackPath } from '../callback-path.ts';
import { SMS_CALLBACK_PROVIDERS } from './callback-providers.ts';

test("callback paths match those configured in providers' accounts", () => {
  const paths = Object.keys(SMS_CALLBACK_PROVIDERS).flatMap((provider) =>
    (['status', 'inbound'] as const).map((kind) =>
      buildCallbackPath({ channel: 'sms', provider, kind }),
    ),
  );

  expect(paths).toEqual([
    '/cb/sms/twilio/status',
    '/cb/sms/twilio/inbound',
    '/cb/sms/vonage/status',
    '/cb/sms/vonage/inbound',
  ]);
});
