import { isAllowed } from '../../api/roles.ts';
import type { MemberRole } from '@tidings/contracts/members';
import type { IconName } from '../../ui/icon.tsx';
import { NEW_KINDS } from '../new-menu.tsx';
import { PLACES } from '../places.ts';

/** A page, as the router takes it. */
export type Target = {
  readonly to: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly search?: Readonly<Record<string, string>>;
};

/** An entry of the command menu. */
export type Command = {
  readonly key: string;
  readonly group: string;
  readonly title: string;
  readonly detail?: string | null;
  readonly hint?: string | undefined;
  readonly icon: IconName;
  readonly target: Target;
};

const SETTINGS: readonly (readonly [string, string])[] = [
  ['/settings', 'Settings of the application'],
  ['/settings/allow-list', 'Allow-list'],
  ['/settings/suppressions', 'Suppressions'],
  ['/settings/members', 'Members'],
  ['/settings/tokens', 'Administrator tokens'],
  ['/settings/audit', 'Audit log'],
  ['/start', 'First steps'],
];

const PAGES: readonly Command[] = [
  ...PLACES.map(({ to, label, icon, key }) => ({
    key: to,
    group: 'Go to',
    title: label,
    icon,
    target: { to },
    ...(key !== undefined && { hint: `G ${key.toUpperCase()}` }),
  })),
  ...SETTINGS.map(([to, title]) => ({
    key: to,
    group: 'Go to',
    title,
    icon: 'settings' as const,
    target: { to },
  })),
];

/** The pages and the new things that a text names, of what the role permits. Without a text all of them. */
export function findCommands(text: string, role: MemberRole): readonly Command[] {
  const words = text.trim().toLocaleLowerCase().split(/\s+/);
  const made = NEW_KINDS.filter(({ needs }) => isAllowed(role, needs)).map(
    ({ value, label, icon, to }): Command => ({
      key: `new ${to}`,
      group: 'New',
      title: `New ${label.toLowerCase()}`,
      icon,
      target: { to },
      hint: value.toUpperCase(),
    }),
  );
  return [...made, ...PAGES].filter(({ title }) =>
    words.every((word) =>
      title
        .toLocaleLowerCase()
        .split(' ')
        .some((each) => each.startsWith(word)),
    ),
  );
}
