import { PAGES_DIR, servePages } from '@tidings/api/src/pages/serve-pages.ts';
import type { MemberRole } from '@tidings/contracts/members';
import { createApp, finishApp } from '@tidings/http/app';
import { createLogger, listen, stringifyExactJson } from '@tidings/platform';
import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';

export const APPLICATION_ID = '01a1fd9f-1111-7000-8000-000000000002';
const NOT_FOUND: Answer = {
  status: 404,
  json: { type: 'about:blank', title: 'Not found', status: 404, code: 'not_found', requestId: '' },
};

/** The response to a call below `/api/v1/`. `lost`: the service handles the call, but no response arrives. */
export type Answer = { readonly status?: number; readonly json: unknown } | 'lost';
/**
 * Responses by method and path, for example `POST campaigns`. A last part of `*` stands for any. Other
 * calls get 404.
 */
export type Answers = Readonly<Record<string, Answer | ((call: Call) => Answer)>>;
const anyOf = (name: string): string => name.replace(/[^/ ]+$/, '*');

export type Call = {
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
};

export interface PagesVisit extends AsyncDisposable {
  readonly page: Page;
  /** The API calls of the page, in order. */
  readonly calls: readonly Call[];
  open(path: string): Promise<void>;
}

/** A member, and what the service answers them. */
export type Visitor = { readonly role: MemberRole; readonly answers: Answers };

/** The built dashboard without a service: the test defines every response. */
export interface Pages extends AsyncDisposable {
  visit(browser: Browser, who: Visitor, options?: BrowserContextOptions): Promise<PagesVisit>;
}

export async function openPages(): Promise<Pages> {
  const app = createApp();
  servePages(app, { pagesDir: PAGES_DIR, isTls: () => false });
  finishApp(app, createLogger('pages', 'silent'));
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  return {
    async visit(browser, { role, answers }, options = {}) {
      const context = await browser.newContext({
        locale: 'en-GB',
        timezoneId: 'Europe/Berlin',
        viewport: { width: 1_280, height: 800 },
        ...options,
      });
      const calls: Call[] = [];
      const session: Answer = {
        json: {
          user: { id: 'u1', email: 'mia@shop.example', name: 'Mia', role },
          applications: [{ applicationId: APPLICATION_ID, name: 'Demonstration' }],
          csrfToken: 'csrf',
        },
      };
      await context.route('**/api/v1/**', (route) => {
        const call = readCall(route.request());
        calls.push(call);
        const configured =
          call.name === 'GET session'
            ? session
            : (answers[call.name] ?? answers[anyOf(call.name)] ?? NOT_FOUND);
        const answer = typeof configured === 'function' ? configured(call) : configured;
        if (answer === 'lost') return route.abort('connectionreset');
        const { status = 200, json } = answer;
        return route.fulfill({
          status,
          body: stringifyExactJson(json),
          contentType: status < 400 ? 'application/json' : 'application/problem+json',
        });
      });
      const page = await context.newPage();
      return {
        page,
        calls,
        open: async (path) => void (await page.goto(`${server.url}/dashboard${path}`)),
        [Symbol.asyncDispose]: () => context.close(),
      };
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

function readCall(request: Request): Call {
  const { pathname, searchParams } = new URL(request.url());
  const text = request.postData();
  return {
    name: `${request.method()} ${pathname.replace('/api/v1/', '')}`,
    query: Object.fromEntries(searchParams),
    headers: request.headers(),
    body: text === null ? undefined : JSON.parse(text),
  };
}
