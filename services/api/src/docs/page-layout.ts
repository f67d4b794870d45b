import { html, type Html } from './html.ts';

export type NavigationGroup = {
  readonly title: string;
  readonly links: readonly { readonly href: string; readonly title: string }[];
};

/** A page with the navigation of all of them; `path` is its own. */
export function pageLayout({
  path,
  title,
  navigation,
  content,
}: {
  readonly path: string;
  readonly title: string;
  readonly navigation: readonly NavigationGroup[];
  readonly content: Html;
}): string {
  const renderLink = ({ href, title: text }: NavigationGroup['links'][number]): Html =>
    href === path
      ? html`<li><a href="${href}" aria-current="page">${text}</a></li>`
      : html`<li><a href="${href}">${text}</a></li>`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title === '' ? 'Tidings API' : `${title} · Tidings API`}</title>
        <link rel="icon" href="/dashboard/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/docs/assets/docs.css" />
        <script src="/docs/assets/docs.js" defer></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to content</a>
        <header>
          <a class="brand" href="/docs">Tidings API</a>
          <a href="/openapi.json">OpenAPI 3.1</a>
          <a href="/dashboard">Dashboard</a>
        </header>
        <div class="frame">
          <details class="contents" open>
            <summary>Contents</summary>
            <nav aria-label="Documentation">
              ${navigation.map(
                (group) =>
                  html`<h2>${group.title}</h2>
                    <ul>
                      ${group.links.map(renderLink)}
                    </ul>`,
              )}
            </nav>
          </details>
          <main id="content" tabindex="-1">${content}</main>
        </div>
      </body>
    </html> `.html;
}
