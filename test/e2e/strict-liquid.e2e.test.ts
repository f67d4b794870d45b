import { beforeAll, expect, test } from '@jest/globals';
import type { Problem } from '@tidings/contracts/errors/error-codes';
import { stringifyExactJson } from '@tidings/platform';
import {
  FAULT_CASES,
  REFUSED_CASES,
  RENDERED_CASES,
  STRICT_ATTRIBUTES,
  templateOf,
} from '@tidings/liquid/testing/strict-cases';
import { eventually } from '@tidings/testing';
import { shareTidings } from '../stack/share-tidings.ts';
import { createClient, type Client } from './support/client.ts';

const WAIT = { timeoutMs: 60_000 };

type Preview = {
  readonly message?: { readonly body: string };
  readonly fault?: { readonly code: string; readonly detail: string };
};
type DryRun = { readonly unrenderable: Readonly<Record<string, number>> };
type Mails = { readonly messages: readonly { readonly data: { readonly text: string } }[] };

let client: Client;
let previewUrl: string;

beforeAll(async () => {
  const { local } = await shareTidings('Strict Liquid');
  client = createClient(local);
  previewUrl = `${local.baseUrl}/api/v1/templates/preview`;
  await client.submit(
    stringifyExactJson({
      customUserId: 'ada',
      messages: [
        {
          type: 'user',
          id: 'register',
          time: Date.now(),
          email: 'ada@strict.example',
          firstName: 'Ada',
          city: 'Ulm',
          birthday: 86_400_000,
          customAttributes: STRICT_ATTRIBUTES,
        },
      ],
    }),
  );
  await eventually(() => client.read('users/ada'), WAIT);
}, 240_000);

const messageOf = (body: string) => ({ title: 'Strict', body, format: 'text' });

/** Previews have a rate of their own, and few wait at a time. */
const preview = (body: string, customUserId?: string) =>
  eventually(async () => {
    const answer = await client.call<Preview & Problem>('POST', previewUrl, {
      body: { channel: 'EMAIL', message: messageOf(body), customUserId },
    });
    expect([429, 503]).not.toContain(answer.status);
    return answer;
  }, WAIT);

const pushOf = (body: string, dryRun = false) => ({
  recipients: ['ada'],
  channel: 'EMAIL',
  personalize: true,
  message: messageOf(body),
  dryRun,
});

async function lackingOf(body: string): Promise<readonly string[]> {
  const { status, body: answer } = await client.push(pushOf(body, true));
  expect(status).toBe(200);
  const { unrenderable } = answer as unknown as DryRun;
  return Object.keys(unrenderable).filter((name) => unrenderable[name] !== 0);
}

/** How the delivery of a message ended. */
async function send(body: string) {
  const { status, body: accepted } = await client.push(pushOf(body));
  expect(status).toBe(200);
  const { campaignId } = accepted;
  return eventually(async () => {
    const [delivery] = await client.deliveries(campaignId);
    expect(['sent', 'failed']).toContain(delivery?.status);
    return { campaignId, delivery };
  }, WAIT);
}

/** All in one message, a line each. */
test('a template is the same text in a preview and in the mail, and a dry run lacks nothing', async () => {
  const body = RENDERED_CASES.map(([template]) => templateOf(template)).join('\n');
  const wanted = RENDERED_CASES.map(([template, text]) => `${template}: ${text}`);
  const linesOf = (text: string) =>
    text.split(/\r?\n/).map((line, at) => `${RENDERED_CASES[at]?.[0]}: ${line}`);

  const previewed = await preview(body, 'ada');
  const lacking = await lackingOf(body);
  const { campaignId, delivery } = await send(body);
  const mail = await eventually(async () => {
    const { body: answer } = await client.sandbox<Mails>(
      'GET',
      `/api/messages?campaignId=${campaignId}`,
    );
    const [first] = answer.messages;
    if (first === undefined) throw new Error('no mail yet');
    return first;
  }, WAIT);

  expect(previewed.body.fault).toBeUndefined();
  expect(linesOf(previewed.body.message?.body ?? '')).toEqual(wanted);
  expect(lacking).toEqual([]);
  expect(delivery).toMatchObject({ status: 'sent' });
  expect(linesOf(mail.data.text.trimEnd())).toEqual(wanted);
}, 180_000);

test('what cannot be rendered is the same fault in a preview and of the delivery; a dry run counts what is missing', async () => {
  const found = await Promise.all(
    FAULT_CASES.map(async ([template]) => {
      const body = templateOf(template);
      const { fault } = (await preview(body, 'ada')).body;
      const lacking = await lackingOf(body);
      const { delivery } = await send(body);
      return { template, fault, lacking, delivery };
    }),
  );

  expect(found).toMatchObject(
    FAULT_CASES.map(([template, code, detail]) => ({
      template,
      fault: { code, detail },
      lacking: code === 'missing_variable' ? [detail.split(' ')[0]] : [],
      delivery: {
        status: 'failed',
        reason: 'template_error',
        providerCode: code,
        providerMessage: detail,
      },
    })),
  );
}, 180_000);

test('what is refused is refused by a preview, a dry run and a push, in the same place', async () => {
  const faultsOf = ({ status, body }: { readonly status: number; readonly body: unknown }) => [
    status,
    ...((body as Problem).errors ?? []).map(
      ({ pointer, code, line, column }) => `${pointer} ${code} ${line}:${column}`,
    ),
  ];
  const found = await Promise.all(
    REFUSED_CASES.map(async ([template]) => {
      const body = templateOf(template);
      const answers = [
        await preview(body),
        await client.push(pushOf(body, true)),
        await client.push(pushOf(body)),
      ];
      return [template, ...answers.map(faultsOf)];
    }),
  );

  expect(found).toEqual(
    REFUSED_CASES.map(([template, line, column]) => {
      const fault = [400, `/message/body template_syntax ${line}:${column}`];
      return [template, fault, fault, fault];
    }),
  );
}, 180_000);
