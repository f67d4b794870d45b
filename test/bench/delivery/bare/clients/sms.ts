// CommonJS, whose names Node cannot tell before it runs.
import twilio, { type RequestClient } from 'twilio';
import { SMS_SENDER, TWILIO_ACCOUNT } from '../../channels.ts';
import type { BareClient, BarePlan } from './client.ts';
import { createHttpPosts } from './http-posts.ts';

const CALLBACK = 'https://tidings.example/cb/sms/twilio/status';
const NUMBER_DIGITS = 8;

/** Twilio's package over undici: over axios, as it comes, it would be slower. */
export function createSmsClient({ sinkUrl, concurrency, body }: BarePlan): BareClient {
  const posts = createHttpPosts(concurrency);
  const { accountSid, authToken } = TWILIO_ACCOUNT;
  const request = async ({ uri, headers, username, password, data }: Parameters<RequestClient['request']>[0]): Promise<object> => {
    const answer = await posts.post(`${sinkUrl}${new URL(uri).pathname}`, {
      headers: { ...(headers as Record<string, string>), Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
      body: new URLSearchParams(data as Record<string, string>).toString(),
    });
    return { statusCode: 201, body: answer };
  };
  const client = new twilio.Twilio(accountSid, authToken, { httpClient: { request } as unknown as RequestClient });
  return {
    send: (index) =>
      client.messages.create({
        to: `+49151${String(index).padStart(NUMBER_DIGITS, '0')}`,
        from: SMS_SENDER,
        body,
        statusCallback: `${CALLBACK}?d=${crypto.randomUUID()}&c=${crypto.randomUUID()}`,
      }),
    close: () => posts.close(),
  };
}
