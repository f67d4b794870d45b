/** The response of a provider that accepts a message. */
export type ProviderAnswer = { readonly status: number; readonly body: string };

export const SINK_PATHS = {
  twilio: '/2010-04-01/',
  tokens: '/oauth2/token',
  fcm: '/v1/projects/',
  pushService: '/push/',
} as const;

const HEX_DIGITS = 32;
const CREATED = 'Mon, 05 Jan 2026 09:30:00 +0000';
let taken = 0;

/** Responses of realistic size, with a unique id per message, because each client parses them. */
export function chooseAnswer(path: string): ProviderAnswer {
  if (path.startsWith(SINK_PATHS.twilio)) return { status: 201, body: twilioMessage() };
  if (path.startsWith(SINK_PATHS.fcm))
    return {
      status: 200,
      body: JSON.stringify({ name: `projects/bench/messages/0:${(taken += 1)}%31bd1c9631bd1c96` }),
    };
  if (path.startsWith(SINK_PATHS.pushService)) return { status: 201, body: '' };
  if (path.startsWith(SINK_PATHS.tokens))
    return {
      status: 200,
      body: JSON.stringify({
        access_token: `ya29.${'a'.repeat(180)}`,
        expires_in: 3_599,
        token_type: 'Bearer',
      }),
    };
  return { status: 200, body: 'ok' };
}

function twilioMessage(): string {
  const sid = `SM${(taken += 1).toString(16).padStart(HEX_DIGITS, '0')}`;
  const accountSid = `AC${'0'.repeat(HEX_DIGITS)}`;
  return JSON.stringify({
    account_sid: accountSid,
    api_version: '2010-04-01',
    body: 'Your order is on its way.',
    date_created: CREATED,
    date_sent: null,
    date_updated: CREATED,
    direction: 'outbound-api',
    error_code: null,
    error_message: null,
    from: '+15005550006',
    messaging_service_sid: null,
    num_media: '0',
    num_segments: '4',
    price: null,
    price_unit: 'USD',
    sid,
    status: 'queued',
    subresource_uris: { media: `/2010-04-01/Accounts/${accountSid}/Messages/${sid}/Media.json` },
    to: '+4915100000000',
    uri: `/2010-04-01/Accounts/${accountSid}/Messages/${sid}.json`,
  });
}
