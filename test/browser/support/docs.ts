import { serveDocs } from '@tidings/api/src/docs/serve-docs.ts';
import type { OpenApi } from '@tidings/api/src/docs/openapi-types.ts';
import type { ApiDependencies } from '@tidings/api/src/dependencies.ts';
import { apiRoutes } from '@tidings/api/src/server.ts';
import { openApiDocument } from '@tidings/openapi/document';
import { createApp, finishApp } from '@tidings/http/app';
import { createLogger, listen } from '@tidings/platform';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** The pages below `/docs` without any service behind them. */
export async function openDocs(): Promise<AsyncDisposable & { readonly url: string }> {
  const app = createApp();
  const text = JSON.stringify(openApiDocument(apiRoutes({} as ApiDependencies)));
  serveDocs(app, {
    readDocument: () => JSON.parse(text) as OpenApi,
    baseUrl: 'http://127.0.0.1:8080',
    isTls: () => false,
  });
  finishApp(app, createLogger('docs', 'silent'));
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  return { url: server.url, [Symbol.asyncDispose]: () => server.close() };
}

export interface DocsVisit extends AsyncDisposable {
  readonly page: Page;
  /** Requests to other hosts, which were refused. */
  readonly outside: readonly string[];
  /** Scripts that failed, and what the content security policy kept away. */
  readonly faults: readonly string[];
}

/** A window in which no other host than that of `url` answers. */
export async function visitDocs(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<DocsVisit> {
  const { host } = new URL(url);
  const context = await browser.newContext({
    locale: 'en-GB',
    viewport: { width: 1_280, height: 800 },
    ...options,
  });
  const outside: string[] = [];
  const faults: string[] = [];
  await context.route(
    (target) => target.host !== host,
    (route) => {
      outside.push(route.request().url());
      return route.abort('internetdisconnected');
    },
  );
  const page = await context.newPage();
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (/Content.Security.Policy/i.test(message.text())) faults.push(message.text());
  });
  return { page, outside, faults, [Symbol.asyncDispose]: () => context.close() };
}
