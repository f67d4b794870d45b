import { Link, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useSession } from '../api/session.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { AccountMenu } from './account-menu.tsx';
import { ApplicationMenu } from './application-menu.tsx';
import { Brand } from './brand.tsx';
import { FindButton } from './find-button.tsx';
import { NewMenu } from './new-menu.tsx';
import { OVERVIEW, PLACE_GROUPS, type Place, type PlaceGroup } from './places.ts';

/** The main navigation: a sidebar on wide screens, a menu behind a button on narrow ones. */
export function Navigation({ hasApplication }: { readonly hasApplication: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  useEffect(() => {
    const closeOnEscape = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') setOpen(false);
    };
    addEventListener('keydown', closeOnEscape);
    return () => removeEventListener('keydown', closeOnEscape);
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
        <ApplicationMenu />
        {hasApplication && (
          <div className="nav-tools">
            <FindButton onOpen={close} />
            <NewMenu onChoose={close} />
          </div>
        )}
        <div className="nav-places">
          <ul>
            <PlaceLink place={OVERVIEW} onOpen={close} />
          </ul>
          {PLACE_GROUPS.map((group) => (
            <Group key={group.label} group={group} onOpen={close} />
          ))}
        </div>
        <AccountMenu onChoose={close} />
      </nav>
    </>
  );
}

function Group({ group, onOpen }: { readonly group: PlaceGroup; readonly onOpen: () => void }) {
  const { data: session } = useSession();
  const { label, places, isClosedFor = [] } = group;
  const isClosed = session != null && isClosedFor.includes(session.user.role);
  const links = (
    <ul>
      {places.map((place) => (
        <PlaceLink key={place.to} place={place} onOpen={onOpen} />
      ))}
    </ul>
  );
  if (isClosed)
    return (
      <details className="nav-group">
        <summary>{label}</summary>
        {links}
      </details>
    );
  return (
    <section className="nav-group" aria-label={label}>
      <h2>{label}</h2>
      {links}
    </section>
  );
}

/** Where something new is made belongs to its list. */
const listOf = (path: string): string =>
  path === '/compose' ? '/campaigns' : path.replace(/^\/new-(.+)/, '/$1s');

function PlaceLink({
  place: { to, label, icon },
  onOpen,
}: {
  readonly place: Place;
  readonly onOpen: () => void;
}) {
  const isMaking = useRouterState({ select: ({ location }) => listOf(location.pathname) === to });
  return (
    <li>
      <Link
        to={to}
        className="nav-link"
        onClick={onOpen}
        aria-current={isMaking ? 'page' : undefined}
        activeOptions={{ exact: to === '/', includeSearch: false }}
        activeProps={{ 'aria-current': 'page' }}
      >
        <Icon name={icon} />
        {label}
      </Link>
    </li>
  );
}
