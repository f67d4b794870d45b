import type { createApp } from '@tidings/http/app';
import { stringifyExactJson } from '@tidings/platform';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** The response to a call below `/api/v1/`. `lost`: the service handles the call, but no response arrives. */
export type Answer = { readonly status?: number; readonly json: unknown } | 'lost';
/**
 * Responses by method and path, for example `POST campaigns`. A last part of `*` stands for any. Other
 * calls get 404.
 */
export type Answers = Readonly<Record<string, Answer | ((call: Call) => Answer)>>;

export type Call = {
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: unknown;
};

const API = '/api/v1/';
const VISIT_HEADER = 'x-visit';
const NOT_FOUND: Answer = {
  status: 404,
  json: { type: 'about:blank', title: 'Not found', status: 404, code: 'not_found', requestId: '' },
};
const anyOf = (name: string): string => name.replace(/[^/ ]+$/, '*');

/** What the pages of one visit call. */
export type VisitCalls = {
  /** In order. */
  readonly calls: readonly Call[];
  /** Of all requests of the visit: a late one of an earlier visit in the same window is not counted. */
  readonly headers: Readonly<Record<string, string>>;
  end(): void;
};

/** Answers calls of the API as each visit says. */
export function answerCalls(app: ReturnType<typeof createApp>): {
  begin(answers: Answers): VisitCalls;
} {
  const visits = new Map<string, { readonly answers: Answers; readonly calls: Call[] }>();
  let begun = 0;
  app.use(API, async (request, response) => {
    const call = await readCall(request);
    const visit = visits.get(String(call.headers[VISIT_HEADER]));
    visit?.calls.push(call);
    const configured = visit?.answers[call.name] ?? visit?.answers[anyOf(call.name)] ?? NOT_FOUND;
    respond(response, typeof configured === 'function' ? configured(call) : configured);
  });
  return {
    begin(answers) {
      begun += 1;
      const id = String(begun);
      const calls: Call[] = [];
      visits.set(id, { answers, calls });
      return { calls, headers: { [VISIT_HEADER]: id }, end: () => void visits.delete(id) };
    },
  };
}

function respond(response: ServerResponse, answer: Answer): void {
  if (answer === 'lost') {
    // Not HTTP. A browser would repeat a request whose connection only closes.
    response.socket?.end('lost\r\n\r\n');
    return;
  }
  const { status = 200, json } = answer;
  response
    .writeHead(status, {
      'Cache-Control': 'no-store',
      'Content-Type': status < 400 ? 'application/json' : 'application/problem+json',
    })
    .end(stringifyExactJson(json));
}

async function readCall(
  request: IncomingMessage & { readonly originalUrl: string },
): Promise<Call> {
  const { pathname, searchParams } = new URL(request.originalUrl, 'http://pages.example');
  const body = await text(request);
  return {
    name: `${request.method} ${pathname.replace(API, '')}`,
    query: Object.fromEntries(searchParams),
    headers: request.headers,
    body: body === '' ? undefined : JSON.parse(body),
  };
}
