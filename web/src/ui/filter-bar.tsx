import type { ReactNode } from 'react';

/** The filters above a list. */
export function FilterBar({ children }: { readonly children: ReactNode }) {
  return (
    <div className="inside">
      <div className="filters">{children}</div>
    </div>
  );
}
