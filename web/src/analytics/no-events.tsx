import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { INGEST_CALL } from '../ui/api-call.tsx';
import { buttonClass } from '../ui/button.tsx';
import { FirstEmpty } from '../ui/first-empty.tsx';

/** A page about events before the first one came. */
export function NoEvents({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <FirstEmpty
      title={title}
      action={
        <Link to="/ingest" className={buttonClass('primary')}>
          Watch the ingest log
        </Link>
      }
      ghost={[
        ['item_viewed', '409,035', '+12.4 %'],
        ['cart_filled', '48,918', '+8.8 %'],
        ['order_paid', '15,522', '+3.1 %'],
      ]}
      call={INGEST_CALL}
    >
      {children}
    </FirstEmpty>
  );
}
