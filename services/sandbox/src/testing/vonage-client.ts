import { createPrivateKey, createSign } from 'node:crypto';
import type { VonageCredentials } from '../providers/vonage/application.ts';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token of the sandbox's application, with changes. */
export function signIn(
  { applicationId, privateKey }: Pick<VonageCredentials, 'applicationId' | 'privateKey'>,
  claims: Readonly<Record<string, unknown>> = {},
): string {
  const now = Math.floor(Date.now() / 1000);
  const text = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode({
    application_id: applicationId,
    iat: now,
    exp: now + 900,
    jti: 'a token',
    ...claims,
  })}`;
  const signature = createSign('sha256').update(text).sign(createPrivateKey(privateKey));
  return `${text}.${signature.toString('base64url')}`;
}

/** Sends by the sandbox's Messages API, with the credentials that it gives out. */
export async function createVonageClient(sandboxUrl: string) {
  const credentials = (await (
    await fetch(`${sandboxUrl}/vonage/application`)
  ).json()) as VonageCredentials;
  return {
    credentials,
    send: async (message: object, token = signIn(credentials)) => {
      const answer = await fetch(`${sandboxUrl}/v1/messages`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
        body: JSON.stringify(message),
      });
      return {
        status: answer.status,
        headers: answer.headers,
        body: (await answer.json()) as Readonly<Record<string, unknown>>,
      };
    },
  };
}
