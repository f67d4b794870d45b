import type { OutgoingDelivery } from '@tidings/channel-worker';
import type { EgressHttp, HttpAnswer } from '@tidings/egress';
import { deleteApp, initializeApp, type App } from 'firebase-admin/app';
import { getMessaging, type Message, type Messaging } from 'firebase-admin/messaging';
import { LRUCache } from 'lru-cache';
import { createAccessTokens } from './access-tokens.ts';
import type { ServiceAccount } from './service-account.ts';

/** Sends messages to FCM, each once. */
export interface FcmClient {
  /**
   * @throws firebase-admin's error for an invalid message, TokenRejected, HttpFailure,
   * EgressBlockedError
   */
  send(message: Message, context: FcmContext): Promise<HttpAnswer>;
  close(): void;
}

export type FcmContext = Pick<OutgoingDelivery, 'settingsKey' | 'mayBegin' | 'signal'> & {
  readonly account: ServiceAccount;
  readonly apiBaseUrl: string;
};

/**
 * The request handler of firebase-admin 14.5. It is private, so the version is pinned and a test
 * sends through it.
 */
type RequestHandler = {
  invokeRequestHandler(
    host: string,
    path: string,
    request: object,
  ): Promise<{ readonly name: string }>;
};

const APPS_MAX = 200;
const ANSWER_BYTES_MAX = 16 * 1024;
const UNAUTHORIZED = 401;

/**
 * firebase-admin over our checked connections. By default it opens its own, requests tokens through
 * another package, and sends up to five times over minutes. Here it validates and serializes the
 * message, and one request sends it.
 */
export function createFcmClient(
  http: EgressHttp,
  { timeoutMs }: { readonly timeoutMs: number },
): FcmClient {
  const tokens = createAccessTokens(http, { timeoutMs });
  const apps = new LRUCache<string, App>({ max: APPS_MAX, dispose: (app) => void deleteApp(app) });
  const appOf = ({ settingsKey, account }: FcmContext): App => {
    const app =
      apps.get(settingsKey) ??
      initializeApp(
        { projectId: account.projectId, credential: { getAccessToken: neverAsked } },
        settingsKey,
      );
    apps.set(settingsKey, app);
    return app;
  };
  const post = async (
    path: string,
    body: string,
    { settingsKey, account, apiBaseUrl, mayBegin, signal }: FcmContext,
  ): Promise<HttpAnswer> =>
    http.request({
      method: 'POST',
      url: `${apiBaseUrl.replace(/\/+$/, '')}${path}`,
      headers: {
        Authorization: `Bearer ${await tokens.get(settingsKey, account)}`,
        'Content-Type': 'application/json',
      },
      body,
      timeoutMs,
      mayBegin,
      signal,
      answerBytesMax: ANSWER_BYTES_MAX,
      // A repeated message replaces the first on the phone.
      mayRepeat: true,
    });
  return {
    async send(message, context) {
      const answers: HttpAnswer[] = [];
      const carry: RequestHandler['invokeRequestHandler'] = async (_host, path, request) => {
        const body = JSON.stringify(request);
        let answer = await post(path, body, context);
        if (answer.status === UNAUTHORIZED && !answer.body.includes('THIRD_PARTY_AUTH_ERROR')) {
          // The message was not accepted. A token may expire early, so retry once with a new one; a
          // second rejection concerns the account.
          tokens.invalidate(context.settingsKey);
          answer = await post(path, body, context);
        }
        answers.push(answer);
        return { name: '' };
      };
      await carriedBy(getMessaging(appOf(context)), carry).send(message);
      const [answer] = answers;
      if (answer === undefined)
        throw new Error('firebase-admin did not send through the handler it was given');
      return answer;
    },
    close: () => apps.clear(),
  };
}

/** A copy of the client with its own handler, because each send has its own `mayBegin`. */
function carriedBy(
  messaging: Messaging,
  invokeRequestHandler: RequestHandler['invokeRequestHandler'],
): Messaging {
  return Object.assign(Object.create(messaging) as object, {
    messagingRequestHandler: { invokeRequestHandler } satisfies RequestHandler,
  }) as unknown as Messaging;
}

const neverAsked = (): Promise<never> =>
  Promise.reject(new Error('tokens are not asked of firebase-admin'));
