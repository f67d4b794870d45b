import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

/** Who looks at the pages of the dashboard, and where they are. */
export type Visitor = {
  readonly baseUrl: string;
  readonly applicationId: string;
  readonly adminToken: string;
  /** Null: nobody has signed in. */
  readonly role?: 'owner' | 'admin' | 'developer' | 'marketer' | 'viewer' | null;
};

export interface DashboardVisit extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Scripts that fell over, and what the content security policy has kept away. */
  readonly faults: readonly string[];
  /** Opens a page by its address below `/dashboard`. */
  open(path: string): Promise<void>;
}

/**
 * A browser whose requests an administrator token lets in, and that is told of a session: so pages are tried on the real
 * service without a sign-in for each.
 */
export async function visitDashboard(browser: Browser, { baseUrl, applicationId, adminToken, role = 'owner' }: Visitor, options: BrowserContextOptions = {}): Promise<DashboardVisit> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', viewport: { width: 1_280, height: 800 }, ...options });
  const session = { user: { id: 'u1', email: 'olga@shop.example', name: 'Olga Owner', role }, applications: [{ applicationId, name: 'Demonstration' }], csrfToken: 'csrf' };
  await context.route('**/api/v1/**', (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/api/v1/session/setup') return route.fulfill({ json: { setup: false, oidc: { name: 'the company account' } } });
    if (pathname.startsWith('/api/v1/session') && role === null) return route.fulfill({ status: 401, contentType: 'application/problem+json', json: { type: 'about:blank', title: 'Not signed in', status: 401, code: 'forbidden', requestId: '' } });
    if (pathname === '/api/v1/session') return route.fulfill({ json: session });
    return route.continue({ headers: { ...route.request().headers(), authorization: `Bearer ${adminToken}` } });
  });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (/Content.Security.Policy/i.test(message.text())) faults.push(message.text());
  });
  return {
    page,
    context,
    faults,
    async open(path) {
      await page.goto(`${baseUrl}/dashboard${path}`);
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}
