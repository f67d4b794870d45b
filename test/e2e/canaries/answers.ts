import type { Client } from '../support/client.ts';
import type { CanaryKind } from './canary.ts';

/** Canaries that responses may contain, and why. */
const ALLOWED_ANSWERS: readonly {
  readonly path: RegExp;
  readonly kinds: readonly CanaryKind[];
  readonly why: string;
}[] = [
  {
    path: /^\/api\/v1\/users/,
    kinds: ['phone number', 'e-mail address', 'name'],
    why: 'the profile is what is asked for',
  },
  {
    path: /^\/api\/v1\/users\/[^/]+\/export/,
    kinds: ['phone number', 'e-mail address', 'name', 'push address', 'message text'],
    why: 'all that is kept of the user, to be handed to him',
  },
  {
    path: /^\/api\/v1\/((segments|funnels)\/[^/]+\/users|campaigns\/[^/]+\/deliveries)(\?|$)/,
    kinds: ['phone number', 'e-mail address', 'name'],
    why: 'members and recipients are listed with what people recognise them by',
  },
  {
    path: /^\/api\/v1\/drafts/,
    kinds: ['message text'],
    why: 'what is being written is what is asked for',
  },
  {
    path: /^\/api\/v1\/segments\/[^/]+\/users\/[^/]+/,
    kinds: ['name'],
    why: 'the evidence why the user is a member',
  },
  {
    path: /^\/api\/v1\/ingest\/[^/]+\/messages\/\d+/,
    kinds: ['phone number', 'e-mail address', 'name'],
    why: 'a message as it was accepted is what is asked for',
  },
  {
    path: /^\/api\/v1\/campaigns\/[^/]+\/deliveries\/[^/]+\/message/,
    kinds: ['phone number', 'e-mail address', 'name', 'message text'],
    why: 'the message as the user got it is what is asked for',
  },
  {
    path: /^\/api\/v1\/campaigns(\/[^/]+)?(\/report)?(\?|$)/,
    kinds: ['message text'],
    why: 'the report shows the message as it was sent',
  },
];

export const allowedIn = (path: string): readonly CanaryKind[] =>
  ALLOWED_ANSWERS.filter((allowed) => allowed.path.test(path)).flatMap(({ kinds }) => kinds);

export type SeenAnswer = { readonly path: string; readonly status: number; readonly text: string };

type OpenApi = { readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> };

/** An endless stream; its content is the same as other responses. */
const LIVE = '/api/v1/live';

/** Calls every GET operation of the OpenAPI document, with these ids in its path. */
export async function readEverything(
  client: Client,
  {
    baseUrl,
    headers,
    ids,
  }: {
    readonly baseUrl: string;
    readonly headers: Record<string, string>;
    readonly ids: Readonly<Record<string, string>>;
  },
): Promise<readonly SeenAnswer[]> {
  const { body } = await client.call<OpenApi>('GET', `${baseUrl}/openapi.json`);
  const templates = Object.entries(body.paths)
    .filter(([path, methods]) => path.startsWith('/api/v1/') && path !== LIVE && 'get' in methods)
    .map(([path]) => path);
  const answers: SeenAnswer[] = [];
  for (const template of templates) {
    const path = template.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
      const id = ids[name];
      if (id === undefined) throw new Error(`no id is known for {${name}} of ${template}`);
      return encodeURIComponent(id);
    });
    answers.push(
      await readText(
        `${baseUrl}${path}${path.endsWith('/users') ? `?search=${ids['customUserId']}` : ''}`,
        { headers },
      ),
    );
  }
  return answers;
}

/** The raw response, including headers. */
export async function readText(url: string, request: RequestInit = {}): Promise<SeenAnswer> {
  const answer = await fetch(url, { ...request, signal: AbortSignal.timeout(30_000) });
  const { pathname, search } = new URL(url);
  return {
    path: `${pathname}${search}`,
    status: answer.status,
    text: `${JSON.stringify([...answer.headers])}\n${await answer.text()}`,
  };
}
