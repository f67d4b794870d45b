import type { MemberRole } from '@tidings/contracts/members';
import type { IconName } from '../ui/icon.tsx';

export type Place = {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  /** Opens it after G. */
  readonly key?: string;
};
export type PlaceGroup = {
  readonly label: string;
  /** The roles that find the group closed. */
  readonly isClosedFor?: readonly MemberRole[];
  readonly places: readonly Place[];
};

export const OVERVIEW: Place = { to: '/', label: 'Overview', icon: 'overview', key: 'o' };

/** The places of the dashboard, by what people do there. */
export const PLACE_GROUPS: readonly PlaceGroup[] = [
  {
    label: 'Messages',
    places: [
      { to: '/campaigns', label: 'Campaigns', icon: 'campaigns', key: 'c' },
      { to: '/automations', label: 'Automations', icon: 'automations', key: 'a' },
      { to: '/templates', label: 'Templates', icon: 'templates', key: 't' },
      { to: '/channels', label: 'Channels', icon: 'channels', key: 'h' },
    ],
  },
  {
    label: 'People',
    places: [
      { to: '/users', label: 'Users', icon: 'users', key: 'u' },
      { to: '/segments', label: 'Segments', icon: 'segments', key: 's' },
    ],
  },
  {
    label: 'Analytics',
    places: [
      { to: '/funnels', label: 'Funnels', icon: 'funnels', key: 'f' },
      { to: '/trends', label: 'Trends', icon: 'trends', key: 'r' },
      { to: '/retention', label: 'Retention', icon: 'retention' },
    ],
  },
  {
    label: 'Data',
    places: [
      { to: '/events', label: 'Events', icon: 'events', key: 'e' },
      { to: '/ingest', label: 'Ingest log', icon: 'ingest', key: 'i' },
    ],
  },
  {
    label: 'Developers',
    isClosedFor: ['marketer'],
    places: [
      { to: '/settings/keys', label: 'API keys', icon: 'key', key: 'k' },
      { to: '/settings/webhooks', label: 'Webhooks', icon: 'webhooks', key: 'w' },
      { to: '/settings/dead-letters', label: 'Dead letters', icon: 'letters' },
    ],
  },
];

/** All of them, in their order. */
export const PLACES: readonly Place[] = [OVERVIEW, ...PLACE_GROUPS.flatMap(({ places }) => places)];
