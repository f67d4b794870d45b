import { Link } from '@tanstack/react-router';
import { useKept } from './filters.ts';

export type Tab = { readonly id: string; readonly label: string };

/** The tabs of a page. Each has its own URL (`?tab=`), the first the URL of the page. */
export function Tabs({
  tabs,
  active,
  label,
  keeps = [],
}: {
  readonly tabs: readonly Tab[];
  readonly active: string;
  readonly label: string;
  /** Names in the address that stay from tab to tab. */
  readonly keeps?: readonly string[];
}) {
  const kept = useKept(keeps);
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ id, label: text }, index) => (
        <Link
          key={id}
          to="."
          search={{ ...kept, ...(index > 0 && { tab: id }) } as never}
          resetScroll={false}
          aria-current={id === active ? 'page' : undefined}
          activeProps={{}}
          activeOptions={{ exact: true }}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
