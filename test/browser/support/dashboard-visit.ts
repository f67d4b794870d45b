import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

/** A member of the dashboard with a password. */
export type Person = { readonly email: string; readonly name: string; readonly password: string };

/** The stored session of a browser context. Another context that loads it is signed in too. */
export type SignedIn = Awaited<ReturnType<BrowserContext['storageState']>>;

export interface DashboardVisit extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Uncaught script errors and violations of the content security policy. */
  readonly faults: readonly string[];
  /** Opens a path below `/dashboard`. */
  open(path: string): Promise<void>;
}

/** Without `signedIn` the visitor is signed out. */
export type Visitor = { readonly signedIn?: SignedIn } & BrowserContextOptions;

/** Opens a dashboard in its own browser context. */
export async function visitDashboard(
  browser: Browser,
  dashboardUrl: string,
  { signedIn, ...options }: Visitor = {},
): Promise<DashboardVisit> {
  const context = await browser.newContext({
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    viewport: { width: 1_280, height: 800 },
    ...(signedIn !== undefined && { storageState: signedIn }),
    ...options,
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
      await page.goto(`${dashboardUrl}${path}`);
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** Opens a one-time link, fills in the form as the invited person does, and returns the session. */
export async function acceptOneTimeLink(
  browser: Browser,
  link: string,
  { email, name, password }: Person,
): Promise<SignedIn> {
  await using visit = await visitDashboard(browser, '');
  const { page } = visit;
  await page.goto(link);
  // An invitation already has the e-mail address.
  if (link.includes('/welcome#')) await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  // The session is only a cookie. Reading local storage would make Chromium open a page.
  return { cookies: await visit.context.cookies(), origins: [] };
}

/** Signs in with e-mail address and password. */
export async function signIn({ page }: DashboardVisit, { email, password }: Person): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
}

export const OWNER: Person = {
  email: 'olga@shop.example',
  name: 'Olga Owner',
  password: 'a dozen letters at the very least',
};
