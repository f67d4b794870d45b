import { Link } from '@tanstack/react-router';

export type Tab = { readonly id: string; readonly label: string };

/** The tabs of a page. Each has its own URL (`?tab=`), the first the URL of the page. */
export function Tabs({
  tabs,
  active,
  label,
}: {
  readonly tabs: readonly Tab[];
  readonly active: string;
  readonly label: string;
}) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ id, label: text }, index) => (
        <Link
          key={id}
          to="."
          search={(index === 0 ? {} : { tab: id }) as never}
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
