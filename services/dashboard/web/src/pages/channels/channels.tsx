import { CHANNELS, type Channel } from '@tidings/contracts';
import { Link } from '@tanstack/react-router';
import { useRead, type Page as Listed } from '../../api/queries.ts';
import type { ChannelState } from '../../api/types.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { channelName } from '../../words/names.ts';

const PURPOSES: Readonly<Record<Channel, string>> = {
  EMAIL: 'Through your SMTP provider, with DKIM, one-click unsubscribing and bounces.',
  SMS: 'Through Twilio, with delivery reports and STOP.',
  WEB_PUSH: 'To browsers that have subscribed, even while the page is closed.',
  APP_PUSH: 'To phones, through Firebase Cloud Messaging.',
  WEB_HOOK: 'A signed request to your own systems for each recipient.',
  IN_APP: 'Waits in the app until the user opens it.',
  ON_SITE: 'Waits on the site until the user comes.',
};

const NEXT: Readonly<Record<string, string>> = { not_configured: 'Set up', untested: 'Make a test send', ready: 'Open' };

export function ChannelsPage() {
  const read = useRead<Listed<ChannelState>>('channels', { query: { limit: CHANNELS.length } });
  return (
    <Page title="Channels" description="A channel sends once it is configured and a test send has succeeded.">
      <Loaded read={read} lines={6}>
        {({ items }) => (
          <ul className="grid">
            {items.map(({ channel, status }) => (
              <li key={channel} className="card">
                <div className="inside">
                  <div className="row between">
                    <h2>{channelName(channel)}</h2>
                    <StatusBadge status={status} />
                  </div>
                  <p className="soft">{PURPOSES[channel]}</p>
                  <Link to="/channels/$channel" params={{ channel }} className="button" aria-label={`${NEXT[status] ?? 'Open'}: ${channelName(channel)}`}>
                    {NEXT[status] ?? 'Open'}
                  </Link>
                </div>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Page>
  );
}
