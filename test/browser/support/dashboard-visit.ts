import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

/** Somebody with a password of the dashboard. */
export type Person = { readonly email: string; readonly name: string; readonly password: string };

/** What a browser keeps of a sign-in; given to another context, that one is signed in too. */
export type SignedIn = Awaited<ReturnType<BrowserContext['storageState']>>;

export interface DashboardVisit extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Scripts that fell over, and what the content security policy has kept away. */
  readonly faults: readonly string[];
  /** Opens a page by its address below `/dashboard`. */
  open(path: string): Promise<void>;
}

/** Without a sign-in nobody is signed in. */
export type Visitor = { readonly signedIn?: SignedIn } & BrowserContextOptions;

/** The pages of a dashboard in a window of their own. */
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

/** Opens a one-time link, says who it is and chooses a password, as whoever got the link does; signed in then. */
export async function acceptOneTimeLink(
  browser: Browser,
  link: string,
  { email, name, password }: Person,
): Promise<SignedIn> {
  await using visit = await visitDashboard(browser, '');
  const { page } = visit;
  await page.goto(link);
  // An invitation knows the address already.
  if (link.includes('/welcome#')) await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  // All that a sign-in leaves is a cookie; of what pages keep, Chromium would have to open one.
  return { cookies: await visit.context.cookies(), origins: [] };
}

/** Signs in by e-mail address and password. */
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
