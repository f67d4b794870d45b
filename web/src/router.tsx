import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
  type RouteComponent,
} from '@tanstack/react-router';
import { Loading } from './ui/states.tsx';
import { NotFound } from './shell/not-found.tsx';
import { Broken } from './shell/broken.tsx';
import { Shell } from './shell/shell.tsx';

type Search = { readonly [name: string]: string | undefined };

/** Every parameter is a text, as it stands in the address: ids of digits stay what they are. */
const readSearch = (search: Readonly<Record<string, unknown>>): Search =>
  Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)]));

const root = createRootRoute({
  validateSearch: readSearch,
  search: { middlewares: [retainSearchParams(['application'])] },
});
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell });

const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome',
  component: lazyRouteComponent(() => import('./pages/entry/welcome.tsx'), 'WelcomePage'),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyRouteComponent(() => import('./pages/entry/invitation.tsx'), 'InvitationPage'),
});

const inShell = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => shell, path, component });

const routeTree = root.addChildren([
  welcome,
  invitation,
  shell.addChildren([
    inShell(
      '/',
      lazyRouteComponent(() => import('./pages/overview/overview.tsx'), 'OverviewPage'),
    ),
    inShell(
      '/start',
      lazyRouteComponent(() => import('./pages/start/start.tsx'), 'StartPage'),
    ),
    inShell(
      '/campaigns',
      lazyRouteComponent(() => import('./pages/campaigns/campaigns.tsx'), 'CampaignsPage'),
    ),
    inShell(
      '/campaigns/$campaignId',
      lazyRouteComponent(() => import('./pages/report/report.tsx'), 'ReportPage'),
    ),
    inShell(
      '/compose',
      lazyRouteComponent(() => import('./pages/compose/compose.tsx'), 'ComposePage'),
    ),
    inShell(
      '/ingest',
      lazyRouteComponent(() => import('./pages/ingest/ingest.tsx'), 'IngestPage'),
    ),
    inShell(
      '/ingest/$requestId',
      lazyRouteComponent(() => import('./pages/ingest/request.tsx'), 'RequestPage'),
    ),
    inShell(
      '/users',
      lazyRouteComponent(() => import('./pages/users/users.tsx'), 'UsersPage'),
    ),
    inShell(
      '/users/$customUserId',
      lazyRouteComponent(() => import('./pages/users/user.tsx'), 'UserPage'),
    ),
    inShell(
      '/events',
      lazyRouteComponent(() => import('./pages/events/events.tsx'), 'EventsPage'),
    ),
    inShell(
      '/events/$slug',
      lazyRouteComponent(() => import('./pages/events/definition.tsx'), 'DefinitionPage'),
    ),
    inShell(
      '/channels',
      lazyRouteComponent(() => import('./pages/channels/channels.tsx'), 'ChannelsPage'),
    ),
    inShell(
      '/channels/$channel',
      lazyRouteComponent(() => import('./pages/channels/channel.tsx'), 'ChannelPage'),
    ),
    inShell(
      '/settings',
      lazyRouteComponent(() => import('./pages/settings/application.tsx'), 'ApplicationPage'),
    ),
    inShell(
      '/settings/keys',
      lazyRouteComponent(() => import('./pages/settings/keys.tsx'), 'KeysPage'),
    ),
    inShell(
      '/settings/allow-list',
      lazyRouteComponent(() => import('./pages/settings/allow-list.tsx'), 'AllowListPage'),
    ),
    inShell(
      '/settings/webhooks',
      lazyRouteComponent(() => import('./pages/settings/webhooks.tsx'), 'WebhooksPage'),
    ),
    inShell(
      '/settings/webhooks/$webhookId',
      lazyRouteComponent(() => import('./pages/settings/webhook.tsx'), 'WebhookPage'),
    ),
    inShell(
      '/settings/dead-letters',
      lazyRouteComponent(() => import('./pages/settings/dead-letters.tsx'), 'DeadLettersPage'),
    ),
    inShell(
      '/settings/suppressions',
      lazyRouteComponent(() => import('./pages/settings/suppressions.tsx'), 'SuppressionsPage'),
    ),
    inShell(
      '/settings/members',
      lazyRouteComponent(() => import('./pages/settings/members.tsx'), 'MembersPage'),
    ),
    inShell(
      '/settings/tokens',
      lazyRouteComponent(() => import('./pages/settings/tokens.tsx'), 'TokensPage'),
    ),
    inShell(
      '/settings/audit',
      lazyRouteComponent(() => import('./pages/settings/audit.tsx'), 'AuditPage'),
    ),
    // Whatever no other route is for.
    inShell('/$', NotFound),
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: '/dashboard',
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Loading lines={6} />,
  defaultErrorComponent: Broken,
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
