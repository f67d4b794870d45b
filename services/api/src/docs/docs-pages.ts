import type { Guide } from './guides.ts';
import { html, type Html } from './html.ts';
import { renderInline, renderMarkdown } from './markdown.ts';
import type { OpenApi } from './openapi-types.ts';
import {
  renderAddress,
  listOperations,
  operationSection,
  renderSample,
  type ListedOperation,
} from './operation-section.ts';
import { pageLayout, type NavigationGroup } from './page-layout.ts';
import { schemaFields } from './schema-fields.ts';

type Page = { readonly title: string; readonly content: () => Html };

/** Tags in the order in which a newcomer needs them; the others follow as the document has them. */
const FIRST_TAGS = ['ingest', 'push', 'sdk', 'campaigns', 'users', 'events', 'definitions'];

/** What the samples of all pages use. */
const VARIABLES = (baseUrl: string): string => `export URL=${baseUrl}
export APP=…             # X-Application-Id
export KEY=sk_…          # a Server key
export CLIENT_KEY=ck_…   # a Client key, for /sdk/v1
export TOKEN=at_…        # an administrator token, for settings`;

/** Groups of documents in the navigation, by folder. Those of other folders are reached by links. */
const FOLDERS = [
  ['operations', 'Operations'],
  ['', 'Background'],
] as const;

/** The pages below `/docs` by path: the overview is '', the others are `api/<tag>`, `webhooks` and those of the guides. */
export function docsPages(
  document: OpenApi,
  { guides, baseUrl }: { readonly guides: readonly Guide[]; readonly baseUrl: string },
): ReadonlyMap<string, () => string> {
  const operations = listOperations(document);
  const tags = orderedTags(document);
  const pages = new Map<string, Page>([
    ['', { title: '', content: () => overview(document, { operations, tags, guides, baseUrl }) }],
    ['webhooks', { title: 'Webhook events', content: () => webhookEvents(document, guides) }],
    ...tags.map(
      ({ name, description }) =>
        [
          `api/${name}`,
          {
            title: toTitle(name),
            content: () => tagPage(document, { name, description, operations, guides }),
          },
        ] as const,
    ),
    ...guides.map(
      ({ path, title, render }) =>
        [
          path,
          { title, content: () => html`<article class="prose">${render()}</article>` },
        ] as const,
    ),
  ]);
  const navigation = buildNavigation(tags, guides);
  return new Map(
    [...pages].map(([path, { title, content }]) => [
      path,
      () => pageLayout({ path: toHref(path), title, navigation, content: content() }),
    ]),
  );
}

const toHref = (path: string): string => (path === '' ? '/docs' : `/docs/${path}`);

function orderedTags({ tags }: OpenApi): OpenApi['tags'] {
  const rank = (name: string): number =>
    FIRST_TAGS.includes(name) ? FIRST_TAGS.indexOf(name) : FIRST_TAGS.length;
  return tags.toSorted((a, b) => rank(a.name) - rank(b.name));
}

function buildNavigation(
  tags: OpenApi['tags'],
  guides: readonly Guide[],
): readonly NavigationGroup[] {
  const toLink = ({ path, title }: Pick<Guide, 'path' | 'title'>) => ({
    href: toHref(path),
    title,
  });
  const groups = [
    { title: 'Start', links: [{ href: '/docs', title: 'Overview' }] },
    { title: 'Guides', links: guides.filter(({ folder }) => folder === 'guides').map(toLink) },
    {
      title: 'Reference',
      links: [
        ...tags.map(({ name }) => toLink({ path: `api/${name}`, title: toTitle(name) })),
        toLink({ path: 'webhooks', title: 'Webhook events' }),
      ],
    },
    ...FOLDERS.map(([folder, title]) => ({
      title,
      links: guides.filter((guide) => guide.folder === folder).map(toLink),
    })),
  ];
  return groups.filter(({ links }) => links.length > 0);
}

type Parts = {
  readonly operations: readonly ListedOperation[];
  readonly tags: OpenApi['tags'];
  readonly guides: readonly Guide[];
  readonly baseUrl: string;
};

function overview(document: OpenApi, { operations, tags, guides, baseUrl }: Parts): Html {
  const { info, components } = document;
  const calls = guides.filter(({ folder }) => folder === 'guides');
  return html`<h1>Tidings API</h1>
    <div class="prose intro">${renderMarkdown(info.description, () => undefined)}</div>
    ${
      calls.length === 0
        ? undefined
        : html`<section aria-labelledby="guides">
            <h2 id="guides">Guides</h2>
            <ul class="cards">
              ${calls.map(
                ({ path, title, summary }) =>
                  html`<li>
                    <a href="${toHref(path)}">${title}</a>
                    <p class="soft">${renderInline(summary)}</p>
                  </li>`,
              )}
            </ul>
          </section>`
    }
    <section aria-labelledby="samples">
      <h2 id="samples">Samples</h2>
      <p>
        Every operation has a curl sample. The samples use these variables; set them once in a
        shell:
      </p>
      ${renderSample(VARIABLES(baseUrl), 'Variables of the samples', 'setup')}
      <p>
        Names as <code>$CAMPAIGN_ID</code> stand for ids that other calls return. A session keeps
        its cookie in <code>cookies.txt</code>, which the sample that signs in writes; calls that
        change something need <code>$CSRF_TOKEN</code> from <code>GET /api/v1/session</code>.
      </p>
    </section>
    <section aria-labelledby="authentication">
      <h2 id="authentication">Authentication</h2>
      <ul class="fields">
        ${Object.entries(components.securitySchemes).map(
          ([name, { description = '' }]) =>
            html`<li>
              <code class="name">${name}</code>
              <span class="description">${renderInline(description)}</span>
            </li>`,
        )}
      </ul>
    </section>
    <section aria-labelledby="operations">
      <h2 id="operations">Operations</h2>
      <p class="filter" hidden>
        <label for="filter">Filter by path or words</label>
        <input id="filter" type="search" autocomplete="off" spellcheck="false" />
      </p>
      <p role="status" id="matches"></p>
      ${tags.map(
        ({ name, description }) =>
          html`<div class="group">
            <h3><a href="${toHref(`api/${name}`)}">${toTitle(name)}</a></h3>
            <p class="soft">${renderInline(description)}</p>
            <ul class="operations">
              ${filterOperations(name, operations).map(renderRow)}
            </ul>
          </div>`,
      )}
    </section>`;
}

function renderRow({ method, path, operation }: ListedOperation): Html {
  const [tag = ''] = operation.tags;
  return html`<li>
    <a href="${toHref(`api/${tag}`)}#${operation.operationId}">${renderAddress(method, path)}</a>
    <span class="soft">${renderInline(operation.summary)}</span>
  </li>`;
}

function tagPage(
  document: OpenApi,
  {
    name,
    description,
    operations,
    guides,
  }: { readonly name: string; readonly description: string } & Pick<Parts, 'operations' | 'guides'>,
): Html {
  const here = filterOperations(name, operations);
  return html`<h1>${toTitle(name)}</h1>
    <p class="lead">${renderInline(description)}</p>
    ${guideLink(name, guides)}
    <ul class="operations">
      ${here.map(renderRow)}
    </ul>
    ${here.map((listed) => operationSection(listed, document))}`;
}

/** Links a page of the reference to its guide, if it has one. */
function guideLink(tag: string, guides: readonly Guide[]): Html | undefined {
  const guide = guides.find(({ path }) => path === GUIDE_OF_TAG[tag]);
  return guide && html`<p>Guide: <a href="${toHref(guide.path)}">${guide.title}</a></p>`;
}

const GUIDE_OF_TAG: Readonly<Record<string, string>> = {
  ingest: 'guides/send-events',
  push: 'guides/send-a-message',
  campaigns: 'guides/send-a-message',
  segments: 'guides/segments',
  funnels: 'guides/funnels',
  templates: 'guides/templates',
  sdk: 'guides/browser-sdk',
  channels: 'guides/channels',
  webhooks: 'guides/receive-webhooks',
};

function webhookEvents({ webhooks, components }: OpenApi, guides: readonly Guide[]): Html {
  return html`<h1>Webhook events</h1>
    <p class="lead">Requests that Tidings sends to the webhook endpoints of an application.</p>
    ${guideLink('webhooks', guides)}
    ${Object.entries(webhooks).flatMap(([name, { post }]) => {
      const media = post?.requestBody?.content['application/json'];
      if (post === undefined || media?.schema === undefined) return [];
      return [
        html`<section class="operation" id="${name}" aria-labelledby="${name}-title">
          <h2 id="${name}-title"><a href="#${name}">${renderInline(post.summary)}</a></h2>
          <div class="columns">
            <div>
              ${post.description === undefined ? undefined : html`<p>${renderInline(post.description)}</p>`}
              ${schemaFields(media.schema, components.schemas)}
            </div>
            <div class="samples">
              ${renderSample(JSON.stringify(media.example, null, 2), `Example of ${name}`, 'example')}
            </div>
          </div>
        </section>`,
      ];
    })}`;
}

const filterOperations = (
  tag: string,
  operations: readonly ListedOperation[],
): readonly ListedOperation[] => operations.filter(({ operation }) => operation.tags[0] === tag);

/** `dead-letters` is "Dead letters". */
function toTitle(tag: string): string {
  const text = tag.replaceAll('-', ' ');
  return TITLES[tag] ?? `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

const TITLES: Readonly<Record<string, string>> = {
  ingest: 'Events and profiles',
  push: 'Send messages',
  sdk: 'Devices (SDK)',
  openapi: 'OpenAPI document',
  live: 'Live updates',
  overview: 'Application overview',
};
