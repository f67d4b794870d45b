import { createHmac } from 'node:crypto';

/**
 * Twilio's signature: the exact URL, then each parameter sorted by name
 * (twilio.com/docs/usage/security).
 */
function twilioSignature(
  authToken: string,
  url: string,
  parameters: Readonly<Record<string, string>>,
): string {
  const signed = Object.keys(parameters)
    .sort()
    .reduce((text, name) => `${text}${name}${parameters[name]}`, url);
  return createHmac('sha1', authToken).update(signed, 'utf8').digest('base64');
}

/** Posts a form with a Twilio signature. */
export async function postSigned(
  { authToken, url }: { readonly authToken: string; readonly url: string },
  parameters: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'X-Twilio-Signature': twilioSignature(authToken, url, parameters) },
    body: new URLSearchParams(parameters),
    redirect: 'manual',
    signal,
  });
}
