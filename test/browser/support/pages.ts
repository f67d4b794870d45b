import { PAGES_DIR, servePages } from '@tidings/api/src/pages/serve-pages.ts';
import type { MemberRole } from '@tidings/contracts/members';
import { createApp, finishApp } from '@tidings/http/app';
import { createLogger, listen } from '@tidings/platform';
import type { Browser, Page } from 'playwright-core';
import { answerCalls, type Answer, type Answers, type Call } from './answer-calls.ts';
import { LEFT_PATH, createWindows, type WindowOptions } from './windows.ts';

export const APPLICATION_ID = '01a1fd9f-1111-7000-8000-000000000002';

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
  visit(who: Visitor, options?: WindowOptions): Promise<PagesVisit>;
}

export async function openPages(browser: Browser): Promise<Pages> {
  const app = createApp();
  const calls = answerCalls(app);
  app.get(LEFT_PATH, (_, response) => void response.type('html').send('<!doctype html>'));
  servePages(app, { pagesDir: PAGES_DIR, isTls: () => false });
  finishApp(app, createLogger('pages', 'silent'));
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  const windows = createWindows(browser, server.url);
  return {
    async visit({ role, answers }, options = {}) {
      const window = await windows.take(options);
      const session: Answer = {
        json: {
          user: { id: 'u1', email: 'mia@shop.example', name: 'Mia', role },
          applications: [{ applicationId: APPLICATION_ID, name: 'Demonstration' }],
          csrfToken: 'csrf',
        },
      };
      const visit = calls.begin({ ...answers, 'GET session': session });
      const { page } = window;
      await page.context().setExtraHTTPHeaders(visit.headers);
      return {
        page,
        calls: visit.calls,
        open: async (path) => void (await page.goto(`${server.url}/dashboard${path}`)),
        async [Symbol.asyncDispose]() {
          visit.end();
          await window.leave();
        },
      };
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}
