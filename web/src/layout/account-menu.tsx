import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { errorMessage } from '../api/problem.ts';
import { useMay } from '../api/roles.ts';
import { endSession, useSession } from '../api/session.ts';
import { humanize } from '../lib/format.ts';
import { onShortcut } from '../lib/shortcuts.ts';
import { useStore } from '../lib/store.ts';
import { Icon } from '../ui/icon.tsx';
import { Menu, type MenuGroup } from '../ui/menu.tsx';
import { showToast } from '../ui/toast.tsx';
import { ChangePassword } from './change-password.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import { chooseTheme, THEMES, theme } from './theme.ts';

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
      {dialog === 'password' && <ChangePassword onClose={() => setDialog(null)} />}
      {dialog === 'shortcuts' && <ShortcutsDialog onClose={() => setDialog(null)} />}
    </div>
  );
}

/** The first characters of the first and the last word. */
function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words;
  return chosen.map((word) => Array.from(word ?? '')[0]?.toLocaleUpperCase() ?? '').join('');
}
