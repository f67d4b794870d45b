import { readTestAddresses, writeTestAddresses } from '@tidings/accounts/test-addresses';
import {
  readTestAddressesEndpoint,
  sendTestEndpoint,
  writeTestAddressesEndpoint,
} from '@tidings/api-spec/endpoints/test-sends';
import { readPush } from '@tidings/campaign-intake';
import { requestIdOf } from '@tidings/http/answer';
import { stringifyExactJson } from '@tidings/platform';
import type { Response } from 'express';
import { getActor, getApplicationId, getSession, getSettings } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { readExactJson } from '../../http/read-json.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { countQuestion } from '../../http/user-questions.ts';
import { sendTests } from '../../test-sends/send-tests.ts';

/** Tests of what is written, and whom a member sends them. */
export function testSendRoutes(deps: ApiDependencies): Route[] {
  const { db } = deps;
  const whose = (res: Response) => ({
    applicationId: getApplicationId(res),
    memberId: getSession(res).member.id,
  });
  return [
    defineRoute(readTestAddressesEndpoint, async ({ res }) => ({
      addresses: [...(await readTestAddresses(db, whose(res)))],
    })),
    defineRoute(writeTestAddressesEndpoint, async ({ res, body: { addresses } }) => {
      await writeTestAddresses(db, { ...whose(res), addresses });
      return { addresses };
    }),
    {
      ...defineRoute(sendTestEndpoint, async ({ res, body: { content, to, valuesOf = null } }) => {
        const applicationId = getApplicationId(res);
        countQuestion(deps, res);
        const push = await readPush({ applicationId, headers: {}, body: asPush(content) });
        const items = await sendTests(deps, {
          applicationId,
          settings: getSettings(res),
          push,
          to,
          valuesOf,
          actor: getActor(res),
          requestId: requestIdOf(res),
        });
        return { channel: push.channel, items };
      }),
      readBody: readExactJson,
    },
  ];
}

/** What is sent, without to whom and when. A push needs a recipient. */
function asPush({
  channel,
  message,
  template,
  split,
  personalize,
  purpose,
}: Readonly<Record<string, unknown>>): Buffer {
  return Buffer.from(
    stringifyExactJson({
      recipients: ['test'],
      channel,
      message,
      template,
      split,
      personalize,
      purpose,
    }),
  );
}
