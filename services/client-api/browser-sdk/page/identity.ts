import { call, type Access, type Answer } from '../shared/api.ts';
import { bytesOf } from '../shared/base64.ts';
import { backoffMs, pause } from '../shared/backoff.ts';
import { field, parseJson, textField } from '../shared/json.ts';
import type { TidingsResult } from '../tidings.d.ts';
import { randomId } from './ids.ts';
import type { Person } from './outbox.ts';
import type { Storage } from './storage.ts';

/** Where this browser is reached by push, if anywhere. */
export type PushTarget =
  | { readonly kind: 'none' }
  | { readonly kind: 'web_push'; readonly subscription: PushSubscriptionJSON };

export interface Identity {
  deviceId(): string;
  person(): Person;
  /** Makes the device known, where anything has changed since it was, a day has passed, or the service has forgotten it. */
  register(place: PushTarget, isForgotten?: boolean): Promise<TidingsResult>;
  identify(userToken: string): Promise<TidingsResult>;
  logout(): Promise<TidingsResult>;
}

/** What is kept in the browser. The user token is not: it is a credential. */
type Known = {
  /** Absent in what an older SDK kept, which did not know whether the service takes the device for proved. */
  readonly version?: number;
  readonly deviceId: string;
  readonly serviceUserId?: string | undefined;
  readonly customUserId?: string | undefined;
  /** What was registered, and when. */
  readonly registered?: string | undefined;
  readonly registeredAt?: number;
  /** Absent when the service says that no token has proved whose device this is. */
  readonly identifiedAt?: number | undefined;
  /** A person has gone and the service does not know it yet. */
  readonly isLogoutDue?: boolean;
};

const NAME = 'identity';
const VERSION = 2;
const RENEW_MS = 24 * 3_600_000;

export type IdentityOptions = {
  readonly access: Access;
  readonly storage: Storage;
  /** Another person is here, or the first one is known at last. */ readonly onChange: () => void;
};

export function createIdentity({ access, storage, onChange }: IdentityOptions): Identity {
  // Read anew each time: another tab may have changed it.
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
  /** Whichever tab it was that changed it. */
  const notice = (): void => {
    const before = noticed;
    noticed = JSON.stringify(person());
    if (noticed !== before) onChange();
  };
  addEventListener('storage', notice);
  know({});

  /** One after the other and in order, each until the service has answered. */
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
    // Two tabs of somebody new have each made an id, and the other one's was kept.
    if (known().deviceId !== before.deviceId) return registerNow();
    if (answer.status !== 'ok') return answer;
    const serviceUserId = textField(answer.body, 'serviceUserId');
    // Another one than before: the service has forgotten this device, and whose it was.
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

  /** Of the user whom the page has named last. */
  let token: string | undefined;
  const identifyNow = async (userToken: string): Promise<Answer> => {
    const customUserId = subjectOf(userToken);
    if (customUserId === undefined)
      return { status: 'refused', httpStatus: 400, code: 'invalid_user_token' };
    const before = known();
    if (before.customUserId === customUserId && isFresh(before.identifiedAt))
      return { status: 'ok', body: null };
    const registered = await registerNow();
    if (registered.status !== 'ok') return registered;
    let answer = await post('identify', { userToken });
    if (answer.status === 'refused' && answer.httpStatus === 404) {
      // The service has forgotten the device.
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
        // Once for each answer, so that a service which takes no token is not called again and again.
        if (token !== undefined && field(field(answer, 'body'), 'isProved') === false)
          void identify(token);
        return answer;
      });
    },
    identify,
    logout() {
      token = undefined;
      // Whatever the network does, from here on nothing is theirs.
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

/** Whom a token names; whether it is right is the service's to say. */
function subjectOf(userToken: string): string | undefined {
  try {
    const [, payload = ''] = userToken.split('.');
    return textField(JSON.parse(new TextDecoder().decode(bytesOf(payload))), 'sub');
  } catch {
    return undefined;
  }
}
