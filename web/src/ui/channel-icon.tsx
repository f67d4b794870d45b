import type { Channel } from '@tidings/contracts/channels/channels';
import { Icon, type IconName } from './icon.tsx';

const ICONS: Readonly<Record<Channel, IconName>> = {
  SMS: 'sms',
  EMAIL: 'mail',
  WEB_PUSH: 'globe',
  APP_PUSH: 'phone',
  WEB_HOOK: 'webhooks',
  IN_APP: 'window',
  ON_SITE: 'banner',
};

export function ChannelIcon({ channel }: { readonly channel: Channel }) {
  return <Icon name={ICONS[channel]} />;
}
