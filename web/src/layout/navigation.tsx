import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useMay } from '../api/roles.ts';
import { Button } from '../ui/button.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Account } from './account.tsx';
import { ApplicationSwitcher } from './application-switcher.tsx';
import { Brand } from './brand.tsx';

const NAV_LINKS = [
  { to: '/', label: 'Overview', icon: 'overview' },
  { to: '/campaigns', label: 'Campaigns', icon: 'campaigns' },
  { to: '/compose', label: 'Compose', icon: 'compose' },
  { to: '/templates', label: 'Templates', icon: 'templates' },
  { to: '/ingest', label: 'Ingest log', icon: 'ingest' },
  { to: '/users', label: 'Users', icon: 'users' },
  { to: '/segments', label: 'Segments', icon: 'segments' },
  { to: '/events', label: 'Events', icon: 'events' },
  { to: '/channels', label: 'Channels', icon: 'channels' },
  { to: '/settings', label: 'Settings', icon: 'settings' },
  { to: '/start', label: 'First steps', icon: 'start' },
] as const satisfies readonly {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
}[];

/** The main navigation: a sidebar on wide screens, a menu behind a button on narrow ones. */
export function Navigation({ hasApplication }: { readonly hasApplication: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const mayCompose = useMay('compose');
  const places = NAV_LINKS.filter(({ to }) => to !== '/compose' || mayCompose);
  useEffect(() => {
    const close = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') setOpen(false);
    };
    addEventListener('keydown', close);
    return () => removeEventListener('keydown', close);
  }, []);
  return (
    <>
      <header className="topbar">
        <Button
          kind="plain"
          className="icon"
          aria-label={isOpen ? 'Close navigation' : 'Open navigation'}
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'close' : 'menu'} />
        </Button>
        <Link to="/" className="brand">
          <Brand />
        </Link>
      </header>
      <nav id="navigation" className={isOpen ? 'nav open' : 'nav'} aria-label="Main">
        <div className="nav-head">
          <Link to="/" className="brand">
            <Brand />
          </Link>
        </div>
        {hasApplication && <ApplicationSwitcher />}
        <ul>
          {places.map(({ to, label, icon }) => (
            <li key={to}>
              <Link
                to={to}
                className="nav-link"
                onClick={() => setOpen(false)}
                activeOptions={{ exact: to === '/', includeSearch: false }}
                activeProps={{ 'aria-current': 'page' }}
              >
                <Icon name={icon} />
                {label}
              </Link>
            </li>
          ))}
        </ul>
        <Account />
      </nav>
    </>
  );
}
