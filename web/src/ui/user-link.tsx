import { Link } from '@tanstack/react-router';
import { shortened } from './long-text.tsx';

/** Whom something is of, where that is known. */
export function UserLink({ customUserId }: { readonly customUserId?: string | undefined }) {
  if (customUserId === undefined) return '–';
  return (
    <Link to="/users/$customUserId" params={{ customUserId }} {...shortened(customUserId)}>
      {customUserId}
    </Link>
  );
}
