import { createApiKey } from '@tidings/accounts/api-keys';
import type { Problem } from '@tidings/contracts/errors/error-codes';
import { registerDevice } from '@tidings/people/devices/device-users';
import type { Device } from '@tidings/people/devices/devices';
import { systemClock, systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { createTestApplication } from '@tidings/testing';
import type { TestClientApi } from './test-client-api.ts';

export type SdkApplication = {
  readonly applicationId: string;
  readonly clientKey: string;
  readonly serverKey: string;
  /** Headers of a call with the Client key. */
  readonly headers: Readonly<Record<string, string>>;
};

/** Creates an application with a key of each type. */
export async function createSdkApplication(
  db: Database,
  { allowedOrigins = [] }: { readonly allowedOrigins?: readonly string[] } = {},
): Promise<SdkApplication> {
  const { applicationId } = await createTestApplication(db);
  const make = async (type: 'client' | 'server'): Promise<string> => {
    const made = await createApiKey(db, { applicationId, type, name: 'test', allowedOrigins });
    if (made === 'too_many') throw new Error('there are keys already');
    return made.key;
  };
  const [clientKey, serverKey] = [await make('client'), await make('server')];
  return {
    applicationId,
    clientKey,
    serverKey,
    headers: { 'X-Application-Id': applicationId, 'X-API-Key': clientKey },
  };
}

/** Registers a device without a subscription, for an anonymous user or the named one. */
export function createTestDevice(
  db: Database,
  {
    applicationId,
    customUserId = null,
    deviceId = systemIds.uuid(),
  }: {
    readonly applicationId: string;
    readonly customUserId?: string | null;
    readonly deviceId?: string;
  },
): Promise<Device> {
  return registerDevice(db, systemClock, {
    applicationId,
    deviceId,
    customUserId,
    facts: { kind: 'none', address: null },
  });
}

export type SdkAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: unknown;
  readonly problem: Problem;
};
export type SdkCall = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

/** Calls below `/sdk/v1/`. Objects are sent as JSON, text and bytes as is. */
export async function callSdk(
  { url }: Pick<TestClientApi, 'url'>,
  path: string,
  { method = 'GET', headers = {}, body }: SdkCall = {},
): Promise<SdkAnswer> {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(`${url}/sdk/v1/${path}`, {
    method,
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && {
      body: isRaw ? (body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(body),
    }),
  });
  const text = await response.text();
  const parsed: unknown = text === '' ? undefined : JSON.parse(text);
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: parsed,
    problem: parsed as Problem,
  };
}
