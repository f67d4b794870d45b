import { Link } from '@tanstack/react-router';

/** Whom an entry of the log is of, if it says so. */
export function UserLink({ customUserId }: { readonly customUserId?: string | undefined }) {
  if (customUserId === undefined) return '–';
  return (
    <Link to="/users/$customUserId" params={{ customUserId }} className="wrap">
      {customUserId}
    </Link>
  );
}
