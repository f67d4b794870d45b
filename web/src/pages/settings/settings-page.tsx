import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isAllowed, type Permission } from '../../api/roles.ts';
import { useSession } from '../../api/session.ts';
import { Page } from '../../ui/page.tsx';

const PARTS = [
  { to: '/settings', label: 'Application' },
  { to: '/settings/allow-list', label: 'Allow-list' },
  { to: '/settings/suppressions', label: 'Suppressions' },
  { to: '/settings/members', label: 'Members', needs: 'seeMembers' },
  { to: '/settings/tokens', label: 'Administrator tokens', needs: 'seeTokens' },
  { to: '/settings/audit', label: 'Audit log', needs: 'seeAudit' },
] as const satisfies readonly {
  readonly to: string;
  readonly label: string;
  readonly needs?: Permission;
}[];

/** A settings page with links to the other settings. */
export function SettingsPage({
  title,
  description,
  actions,
  children,
}: {
  readonly title: string;
  readonly description: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const { data: session } = useSession();
  const parts = PARTS.filter(
    (part) => !('needs' in part) || (session != null && isAllowed(session.user.role, part.needs)),
  );
  return (
    <Page title={title} description={description} actions={actions}>
      <nav className="tabs" aria-label="Settings">
        {parts.map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: to === '/settings', includeSearch: false }}
            activeProps={{ 'aria-current': 'page' }}
          >
            {label}
          </Link>
        ))}
      </nav>
      {children}
    </Page>
  );
}
