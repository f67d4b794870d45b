import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { errorMessage } from '../api/problem.ts';
import { useMay } from '../api/roles.ts';
import { endSession, useSession } from '../api/session.ts';
import { humanize } from '../lib/format.ts';
import { initialsOf } from '../lib/text.ts';
import { onShortcut } from '../lib/shortcuts.ts';
import { useStore } from '../lib/store.ts';
import { Icon } from '../ui/icon.tsx';
import { Menu, type MenuGroup } from '../ui/menu.tsx';
import { showToast } from '../ui/toast.tsx';
import { chooseTheme, THEMES, theme } from './theme.ts';

const ChangePassword = lazy(async () => ({
  default: (await import('./change-password.tsx')).ChangePassword,
}));
const ShortcutsDialog = lazy(async () => ({
  default: (await import('./shortcuts-dialog.tsx')).ShortcutsDialog,
}));

/** The signed-in member: role, settings, theme, help, password and the sign-out. */
export function AccountMenu({ onChoose }: { readonly onChoose: () => void }) {
  const { data } = useSession();
  const chosen = useStore(theme);
  const navigate = useNavigate();
  const mayInvite = useMay('changeMembers');
  const [dialog, setDialog] = useState<'password' | 'shortcuts' | null>(null);
  useEffect(
    () =>
      onShortcut((key) => {
        if (key === '?') setDialog('shortcuts');
        return key === '?';
      }),
    [],
  );
  if (data == null) return null;
  const name = data.user.name || data.user.email;
  const go = (to: '/settings' | '/settings/members' | '/start'): void => void navigate({ to });
  const actions: Readonly<Record<string, () => void>> = {
    settings: () => go('/settings'),
    invite: () => go('/settings/members'),
    start: () => go('/start'),
    docs: () => void open('/docs', '_blank', 'noopener'),
    shortcuts: () => setDialog('shortcuts'),
    password: () => setDialog('password'),
    leave: () => void endSession().catch((error: unknown) => showToast(errorMessage(error), 'bad')),
  };
  const choose = (value: string): void => {
    const themed = THEMES.find((each) => each === value);
    if (themed !== undefined) return chooseTheme(themed);
    onChoose();
    actions[value]?.();
  };
  const groups: readonly MenuGroup[] = [
    {
      items: [
        { value: 'settings', label: 'Settings', icon: 'settings' },
        ...(mayInvite
          ? [{ value: 'invite', label: 'Invite a colleague', icon: 'invite' } as const]
          : []),
      ],
    },
    {
      label: 'Theme',
      items: THEMES.map((each) => ({
        value: each,
        label: humanize(each),
        isChosen: each === chosen,
      })),
    },
    {
      items: [
        { value: 'start', label: 'First steps', icon: 'start' },
        { value: 'docs', label: 'Docs', icon: 'docs' },
        { value: 'shortcuts', label: 'Shortcuts', icon: 'keyboard', hint: '?' },
      ],
    },
    {
      items: [
        { value: 'password', label: 'Change password', icon: 'lock' },
        { value: 'leave', label: 'Sign out', icon: 'leave' },
      ],
    },
  ];
  return (
    <div className="nav-foot">
      <Menu
        className="plain account"
        name={`Account of ${name}`}
        label={
          <>
            <span className="initials" data-initials={initialsOf(name)} />
            <span className="cut grow" dir="auto">
              {name}
            </span>
            <Icon name="more" />
          </>
        }
        head={
          <>
            <span className="cut strong" dir="auto">
              {name}
            </span>
            <span className="cut soft">
              {data.user.email} · {humanize(data.user.role)}
            </span>
          </>
        }
        groups={groups}
        onChoose={choose}
      />
      <Suspense>
        {dialog === 'password' && <ChangePassword onClose={() => setDialog(null)} />}
        {dialog === 'shortcuts' && <ShortcutsDialog onClose={() => setDialog(null)} />}
      </Suspense>
    </div>
  );
}
