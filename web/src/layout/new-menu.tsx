import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isAllowed, type Permission } from '../api/roles.ts';
import { useSession } from '../api/session.ts';
import { Icon } from '../ui/icon.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { onShortcut } from '../lib/shortcuts.ts';

type Kind = MenuItem & { readonly to: string; readonly needs: Permission };

/** What a member makes, each by a key of its own. */
export const NEW_KINDS = [
  { value: 'c', label: 'Campaign', icon: 'campaigns', to: '/compose', needs: 'compose' },
  {
    value: 'a',
    label: 'Automation',
    icon: 'automations',
    to: '/new-automation',
    needs: 'changeAutomations',
  },
  { value: 's', label: 'Segment', icon: 'segments', to: '/new-segment', needs: 'changeSegments' },
  {
    value: 't',
    label: 'Template',
    icon: 'templates',
    to: '/new-template',
    needs: 'changeTemplates',
  },
  { value: 'f', label: 'Funnel', icon: 'funnels', to: '/new-funnel', needs: 'changeFunnels' },
] as const satisfies readonly Kind[];

/** Begins a campaign, an automation, a segment, a template or a funnel, as far as the role permits it. */
export function NewMenu({ onChoose }: { readonly onChoose: () => void }) {
  const { data: session } = useSession();
  const navigate = useNavigate();
  const role = session?.user.role;
  useEffect(
    () =>
      onShortcut((key) => {
        const kind = NEW_KINDS.find(({ value }) => value === key);
        if (kind === undefined || role === undefined || !isAllowed(role, kind.needs)) return false;
        void navigate({ to: kind.to });
        return true;
      }),
    [role, navigate],
  );
  const kinds = NEW_KINDS.filter(({ needs }) => role !== undefined && isAllowed(role, needs));
  if (kinds.length === 0) return null;
  return (
    <Menu
      className="icon primary"
      name="New"
      label={<Icon name="add" />}
      items={kinds.map(({ value, label, icon }) => ({
        value,
        label,
        icon,
        hint: value.toUpperCase(),
      }))}
      onChoose={(value) => {
        const to = kinds.find((kind) => kind.value === value)?.to;
        onChoose();
        if (to !== undefined) void navigate({ to });
      }}
    />
  );
}
