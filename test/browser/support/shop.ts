import { createLogger, systemClock, systemIds } from '@tidings/platform';
import { startSandbox } from '@tidings/sandbox/src/service.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import {
  APPLICATION_ID,
  CLIENT_KEY,
  SERVER_KEY,
  startFakeService,
  type FakeService,
} from './fake-service.ts';

/** The demonstration shop of the sandbox, connected to the fake service. */
export interface Shop extends AsyncDisposable {
  readonly url: string;
  readonly origin: string;
  readonly service: FakeService;
  /** Opens the shop as a new visitor and records uncaught errors. */
  visit(
    browser: Browser,
    options?: BrowserContextOptions & {
      readonly prepare?: (context: BrowserContext) => Promise<unknown>;
    },
  ): Promise<Visit>;
}
export interface Visit extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly errors: readonly string[];
}

export async function openShop(): Promise<Shop> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidings-shop-'));
  const service = await startFakeService();
  const sandbox = await startSandbox(
    {
      host: '127.0.0.1',
      port: 0,
      hostnames: [],
      smtpPort: 0,
      dataDir,
      messagesMax: 100,
      hookSecret: '',
      reportUrl: '',
    },
    { logger: createLogger('sandbox', 'silent'), clock: systemClock, ids: systemIds },
  );
  const connection = {
    baseUrl: service.url,
    applicationId: APPLICATION_ID,
    clientKey: CLIENT_KEY,
    serverKey: SERVER_KEY,
    userTokenSecret: 'ut_secret_of_the_fake_service',
  };
  await fetch(`${sandbox.url}/api/shop`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(connection),
  });
  const url = `${sandbox.url}/shop/`;
  return {
    url,
    origin: sandbox.url,
    service,
    async visit(browser, { prepare, ...options } = {}) {
      const context = await browser.newContext(options);
      await prepare?.(context);
      const page = await context.newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(String(error)));
      await page.goto(url);
      return { page, context, errors, [Symbol.asyncDispose]: () => context.close() };
    },
    async [Symbol.asyncDispose]() {
      await sandbox.stopIntake();
      await sandbox.disconnect();
      await service[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
