import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
  type RouteComponent,
} from '@tanstack/react-router';
import { Loading } from './ui/states.tsx';
import { NotFound } from './layout/not-found.tsx';
import { ErrorPage } from './layout/error-page.tsx';
import { Layout } from './layout/layout.tsx';

type Search = { readonly [name: string]: string | undefined };

/** Search parameters stay strings: an id of digits must not become a number. */
const readSearch = (search: Readonly<Record<string, unknown>>): Search =>
  Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)]));

const root = createRootRoute({
  validateSearch: readSearch,
  search: { middlewares: [retainSearchParams(['application'])] },
});
const layout = createRoute({ getParentRoute: () => root, id: 'layout', component: Layout });

const setup = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: lazyRouteComponent(() => import('./pages/auth/setup.tsx'), 'SetupPage'),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyRouteComponent(() => import('./pages/auth/invitation.tsx'), 'InvitationPage'),
});

const inLayout = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => layout, path, component });

/** A page inside the layout. The browser loads its code when the page is opened. */
const page = <Path extends string, Name extends string>(
  path: Path,
  load: () => Promise<Readonly<Record<Name, RouteComponent>>>,
  name: Name,
) => inLayout(path, lazyRouteComponent(load, name));

const routeTree = root.addChildren([
  setup,
  invitation,
  layout.addChildren([
    page('/', () => import('./pages/overview/overview.tsx'), 'OverviewPage'),
    page('/start', () => import('./pages/start/start.tsx'), 'StartPage'),
    page('/campaigns', () => import('./pages/campaigns/campaigns.tsx'), 'CampaignsPage'),
    page('/campaigns/$campaignId', () => import('./pages/report/report.tsx'), 'ReportPage'),
    page('/compose', () => import('./pages/compose/compose.tsx'), 'ComposePage'),
    page('/automations', () => import('./pages/automations/automations.tsx'), 'AutomationsPage'),
    page(
      '/automations/$slug',
      () => import('./pages/automations/automation.tsx'),
      'AutomationPage',
    ),
    page(
      '/new-automation',
      () => import('./pages/automations/new-automation.tsx'),
      'NewAutomationPage',
    ),
    page('/templates', () => import('./pages/templates/templates.tsx'), 'TemplatesPage'),
    page('/templates/$slug', () => import('./pages/templates/template.tsx'), 'TemplatePage'),
    page('/templates/blocks/$slug', () => import('./pages/blocks/block.tsx'), 'BlockPage'),
    page('/new-block', () => import('./pages/blocks/new-block.tsx'), 'NewBlockPage'),
    page('/new-template', () => import('./pages/templates/new-template.tsx'), 'NewTemplatePage'),
    page('/ingest', () => import('./pages/ingest/ingest.tsx'), 'IngestPage'),
    page('/ingest/$requestId', () => import('./pages/ingest/request.tsx'), 'RequestPage'),
    page('/users', () => import('./pages/users/users.tsx'), 'UsersPage'),
    page('/users/$customUserId', () => import('./pages/users/user.tsx'), 'UserPage'),
    page('/segments', () => import('./pages/segments/segments.tsx'), 'SegmentsPage'),
    page('/segments/$slug', () => import('./pages/segments/segment.tsx'), 'SegmentPage'),
    page('/new-segment', () => import('./pages/segments/new-segment.tsx'), 'NewSegmentPage'),
    page('/funnels', () => import('./pages/funnels/funnels.tsx'), 'FunnelsPage'),
    page('/funnels/$slug', () => import('./pages/funnels/funnel.tsx'), 'FunnelPage'),
    page('/new-funnel', () => import('./pages/funnels/funnel.tsx'), 'NewFunnelPage'),
    page('/trends', () => import('./pages/trends/trends.tsx'), 'TrendsPage'),
    page('/retention', () => import('./pages/retention/retention.tsx'), 'RetentionPage'),
    page('/events', () => import('./pages/events/events.tsx'), 'EventsPage'),
    page('/events/$slug', () => import('./pages/events/definition.tsx'), 'DefinitionPage'),
    page('/channels', () => import('./pages/channels/channels.tsx'), 'ChannelsPage'),
    page('/channels/$channel', () => import('./pages/channels/channel.tsx'), 'ChannelPage'),
    page('/settings', () => import('./pages/settings/application.tsx'), 'ApplicationPage'),
    page('/settings/keys', () => import('./pages/settings/keys.tsx'), 'KeysPage'),
    page('/settings/allow-list', () => import('./pages/settings/allow-list.tsx'), 'AllowListPage'),
    page('/settings/webhooks', () => import('./pages/settings/webhooks.tsx'), 'WebhooksPage'),
    page(
      '/settings/webhooks/$webhookId',
      () => import('./pages/settings/webhook.tsx'),
      'WebhookPage',
    ),
    page(
      '/settings/dead-letters',
      () => import('./pages/settings/dead-letters.tsx'),
      'DeadLettersPage',
    ),
    page(
      '/settings/suppressions',
      () => import('./pages/settings/suppressions.tsx'),
      'SuppressionsPage',
    ),
    page('/settings/members', () => import('./pages/settings/members.tsx'), 'MembersPage'),
    page('/settings/tokens', () => import('./pages/settings/tokens.tsx'), 'TokensPage'),
    page('/settings/audit', () => import('./pages/settings/audit.tsx'), 'AuditPage'),
    // All other paths.
    inLayout('/$', NotFound),
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: '/dashboard',
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Loading lines={6} />,
  defaultErrorComponent: ErrorPage,
  scrollRestoration: true,
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const known = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    return known.length === 0
      ? ''
      : `?${new URLSearchParams(known.map(([name, value]) => [name, String(value)]))}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
