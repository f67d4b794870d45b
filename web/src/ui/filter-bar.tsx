import type { ReactNode } from 'react';

/** The filters above a list, in one line where there is room. */
export function FilterBar({ children }: { readonly children: ReactNode }) {
  return <div className="filter-bar">{children}</div>;
}
