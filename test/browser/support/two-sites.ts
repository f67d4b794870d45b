import { createApp, finishApp } from '@tidings/http/app';
import { createLogger, listen } from '@tidings/platform';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { APPLICATION_ID, CLIENT_KEY, startFakeService, type FakeService } from './fake-service.ts';

/** A site with the SDK and no content security policy, and another site whose pages imitate the document of a message. */
export interface TwoSites extends AsyncDisposable {
  readonly service: FakeService;
  readonly url: string;
  readonly elsewhere: string;
  /** Opens the site as a new visitor. `framed`: URLs of the other site that frames requested. */
  visit(
    browser: Browser,
    options?: VisitOptions,
  ): Promise<AsyncDisposable & { readonly page: Page; readonly framed: readonly string[] }>;
}

type VisitOptions = {
  /** Runs before the page opens. */
  readonly prepare?: (context: BrowserContext) => Promise<unknown>;
};

export async function openTwoSites(): Promise<TwoSites> {
  const service = await startFakeService();
  const other = await serve(() => IMPOSTOR);
  const site = await serve(
    () => `<!doctype html><title>Site</title><h1>Site</h1>
<script src="${service.url}/sdk/v1/sdk.js" data-application-id="${APPLICATION_ID}" data-client-key="${CLIENT_KEY}"></script>`,
  );
  const [url, elsewhere] = [`${site.url}/`, `${other.url}/`];
  return {
    service,
    url,
    elsewhere,
    async visit(browser, { prepare } = {}) {
      const context = await browser.newContext();
      await prepare?.(context);
      const page = await context.newPage();
      const framed = recordFrameRequests(context, elsewhere);
      await page.goto(url);
      return { page, framed, [Symbol.asyncDispose]: () => context.close() };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([site.close(), other.close(), service[Symbol.asyncDispose]()]);
    },
  };
}

/** Immediately posts the same messages as the document of an in-app message. */
const IMPOSTOR = `<!doctype html><title>Elsewhere</title><p>Elsewhere</p><script>
for (const data of [{ tidings: 'ready' }, { tidings: 'size', height: 99999, direction: 'ltr' },
  { tidings: 'click', href: '/of-the-impostor', isNewWindow: false }]) if (parent !== self) parent.postMessage(data, '*');
</script>`;

function recordFrameRequests(context: BrowserContext, elsewhere: string): readonly string[] {
  const framed: string[] = [];
  context.on('request', (request) => {
    if (request.url().startsWith(elsewhere) && request.frame().parentFrame() !== null)
      framed.push(request.url());
  });
  return framed;
}

async function serve(page: () => string) {
  const app = createApp();
  app.use((_req, res) => void res.type('html').send(page()));
  finishApp(app, createLogger('site', 'silent'));
  return listen(app, { host: '127.0.0.1', port: 0 }, { closeDeadlineMs: 500 });
}
