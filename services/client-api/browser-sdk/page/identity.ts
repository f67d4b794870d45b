import { call, type Access, type Answer } from '../shared/api.ts';
import { decodeBase64Url } from '../shared/base64.ts';
import { backoffMs, pause } from '../shared/backoff.ts';
import { field, parseJson, textField } from '../shared/json.ts';
import type { TidingsResult } from '../tidings.d.ts';
import { randomId } from './ids.ts';
import type { Person } from './outbox.ts';
import type { Storage } from './storage.ts';

/** The push subscription of this browser, if any. */
export type PushTarget =
  | { readonly kind: 'none' }
  | { readonly kind: 'web_push'; readonly subscription: PushSubscriptionJSON };

export interface Identity {
  deviceId(): string;
  person(): Person;
  /** Registers the device if anything changed, a day has passed, or the service deleted it. */
  register(place: PushTarget, isForgotten?: boolean): Promise<TidingsResult>;
  identify(userToken: string): Promise<TidingsResult>;
  logout(): Promise<TidingsResult>;
}

/** Stored in the browser. The user token is not: it is a credential. */
type Known = {
  /**
   * Absent in data of older SDKs, which did not store whether the service considers the device
   * proved.
   */
  readonly version?: number;
  readonly deviceId: string;
  readonly serviceUserId?: string | undefined;
  readonly customUserId?: string | undefined;
  /** The last registration, and its time. */
  readonly registered?: string | undefined;
  readonly registeredAt?: number;
  /** Absent when the service says that no token proved this device's user. */
  readonly identifiedAt?: number | undefined;
  /** A logout that the service has not confirmed. */
  readonly isLogoutDue?: boolean;
};

const NAME = 'identity';
const VERSION = 2;
const RENEW_MS = 24 * 3_600_000;

export type IdentityOptions = {
  readonly access: Access;
  readonly storage: Storage;
  /** The user changed or became known. */ readonly onChange: () => void;
};

export function createIdentity({ access, storage, onChange }: IdentityOptions): Identity {
  // Read each time: another tab may have changed it.
  const known = (): Known => parse(storage.get(NAME)) ?? { deviceId: randomId() };
  const know = (change: Partial<Known>): void => {
    storage.set(NAME, JSON.stringify({ ...known(), version: VERSION, ...change }));
    notice();
  };
  const person = (): Person => {
    const { customUserId, serviceUserId } = known();
    return { customUserId, serviceUserId };
  };
  let noticed = JSON.stringify(person());
  /** Detects changes by any tab. */
  const notice = (): void => {
    const before = noticed;
    noticed = JSON.stringify(person());
    if (noticed !== before) onChange();
  };
  addEventListener('storage', notice);
  know({});

  /** Runs calls one after the other, each until the service responds. */
  let last: Promise<unknown> = Promise.resolve();
  const inOrder = (step: () => Promise<Answer>): Promise<TidingsResult> => {
    const result = last.then(() => untilAnswered(step));
    last = result;
    return result.then((answer) =>
      answer.status === 'ok' ? { ok: true } : { ok: false, reason: answer.code },
    );
  };
  const post = (path: string, body: object): Promise<Answer> =>
    call(access, `/sdk/v1/${path}`, { body: { deviceId: known().deviceId, ...body } });

  let place: PushTarget = { kind: 'none' };
  const registerNow = async (): Promise<Answer> => {
    const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions();
    const body = { ...place, timeZone, locale };
    const registered = JSON.stringify(body);
    const before = known();
    if (
      before.serviceUserId !== undefined &&
      before.registered === registered &&
      isFresh(before.registeredAt)
    )
      return { status: 'ok', body: null };
    const answer = await post('devices', body);
    // Two tabs created an id at the same time; the other one's was stored.
    if (known().deviceId !== before.deviceId) return registerNow();
    if (answer.status !== 'ok') return answer;
    const serviceUserId = textField(answer.body, 'serviceUserId');
    // A different user: the service deleted this device and its user.
    const isAnother = before.serviceUserId !== undefined && before.serviceUserId !== serviceUserId;
    know({
      serviceUserId,
      registered,
      registeredAt: Date.now(),
      ...(isAnother && { customUserId: undefined }),
      ...(field(answer.body, 'isProved') !== true && { identifiedAt: undefined }),
    });
    return answer;
  };

  /** The last token that the page passed. */
  let token: string | undefined;
  const identifyNow = async (userToken: string): Promise<Answer> => {
    const customUserId = readSubject(userToken);
    if (customUserId === undefined)
      return { status: 'refused', httpStatus: 400, code: 'invalid_user_token' };
    const before = known();
    if (before.customUserId === customUserId && isFresh(before.identifiedAt))
      return { status: 'ok', body: null };
    const registered = await registerNow();
    if (registered.status !== 'ok') return registered;
    let answer = await post('identify', { userToken });
    if (answer.status === 'refused' && answer.httpStatus === 404) {
      // The service deleted the device.
      know({ registered: undefined });
      await registerNow();
      answer = await post('identify', { userToken });
    }
    if (answer.status === 'ok')
      know({
        customUserId,
        serviceUserId: textField(answer.body, 'serviceUserId') ?? known().serviceUserId,
        identifiedAt: Date.now(),
      });
    return answer;
  };

  const identify = (userToken: string): Promise<TidingsResult> => {
    token = userToken;
    return inOrder(() => identifyNow(userToken));
  };

  const logoutNow = async (): Promise<Answer> => {
    const answer = await post('logout', {});
    if (answer.status !== 'ok') return answer;
    know({ isLogoutDue: false, serviceUserId: textField(answer.body, 'serviceUserId') });
    return registerNow();
  };

  if (known().isLogoutDue === true) void inOrder(logoutNow);
  return {
    deviceId: () => known().deviceId,
    person,
    register(now, isForgotten = false) {
      place = now;
      if (isForgotten) know({ registered: undefined });
      return inOrder(async () => {
        const answer = await registerNow();
        // Once per response, so that a service that accepts no token is not called repeatedly.
        if (token !== undefined && field(field(answer, 'body'), 'isProved') === false)
          void identify(token);
        return answer;
      });
    },
    identify,
    logout() {
      token = undefined;
      // Takes effect at once, even offline.
      know({
        customUserId: undefined,
        serviceUserId: undefined,
        registered: undefined,
        identifiedAt: undefined,
        isLogoutDue: true,
      });
      return inOrder(logoutNow);
    },
  };
}

async function untilAnswered(
  step: () => Promise<Answer>,
): Promise<Exclude<Answer, { readonly status: 'later' }>> {
  for (let failures = 0; ; failures++) {
    const answer = await step();
    if (answer.status !== 'later') return answer;
    await pause(answer.afterMs || backoffMs(failures));
  }
}

const isFresh = (at = 0): boolean => Date.now() - at < RENEW_MS && at <= Date.now();

function parse(text: string | undefined): Known | undefined {
  const value = parseJson(text) as Known;
  if (textField(value, 'deviceId') === undefined) return undefined;
  return value.version === VERSION
    ? value
    : { ...value, registered: undefined, identifiedAt: undefined };
}

/** The subject of a token. The service verifies the token. */
function readSubject(userToken: string): string | undefined {
  try {
    const [, payload = ''] = userToken.split('.');
    return textField(JSON.parse(new TextDecoder().decode(decodeBase64Url(payload))), 'sub');
  } catch {
    return undefined;
  }
}
