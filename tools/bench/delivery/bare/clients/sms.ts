// CommonJS: Node cannot determine its named exports.
import twilio, { type RequestClient } from 'twilio';
import { SMS_SENDER, TWILIO_ACCOUNT } from '../../channels.ts';
import type { BareClient, BarePlan } from './client.ts';
import { createHttpPosts } from './http-posts.ts';

const CALLBACK = 'https://tidings.example/cb/sms/twilio/status';
const NUMBER_DIGITS = 8;

/** Twilio's package, over its own axios or over undici. */
export function createSmsClient(plan: BarePlan): BareClient {
  const { accountSid, authToken } = TWILIO_ACCOUNT;
  const { request, close } = plan.transport === 'own' ? overAxios(plan) : overUndici(plan);
  const client = new twilio.Twilio(accountSid, authToken, {
    httpClient: { request } as unknown as RequestClient,
  });
  const { body } = plan;
  return {
    send: (index) =>
      client.messages.create({
        to: `+49151${String(index).padStart(NUMBER_DIGITS, '0')}`,
        from: SMS_SENDER,
        body,
        statusCallback: `${CALLBACK}?d=${crypto.randomUUID()}&c=${crypto.randomUUID()}`,
      }),
    close,
  };
}

type Requests = {
  request(options: Parameters<RequestClient['request']>[0]): Promise<object>;
  close(): Promise<void>;
};

/** Uses Node's default agent, which keeps connections alive. */
function overAxios({ sinkUrl }: BarePlan): Requests {
  const client = new twilio.RequestClient();
  return {
    request: (options) =>
      client.request({ ...options, uri: `${sinkUrl}${new URL(options.uri).pathname}` }),
    close: () => Promise.resolve(),
  };
}

function overUndici({ sinkUrl, concurrency }: BarePlan): Requests {
  const posts = createHttpPosts(concurrency);
  return {
    async request({ uri, headers, username, password, data }) {
      const answer = await posts.post(`${sinkUrl}${new URL(uri).pathname}`, {
        headers: {
          ...(headers as Record<string, string>),
          Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
        },
        body: new URLSearchParams(data as Record<string, string>).toString(),
      });
      return { statusCode: 201, body: answer };
    },
    close: () => posts.close(),
  };
}
