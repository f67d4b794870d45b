import { Link, useNavigate } from '@tanstack/react-router';
import { useMay } from '../../api/roles.ts';
import type { ListedUser } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { shortTimeColumn } from '../../ui/columns.tsx';
import { useFilters } from '../../ui/filters.ts';
import { List } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { INGEST_CALL } from '../../ui/api-call.tsx';
import { FirstEmpty } from '../../ui/first-empty.tsx';

const COLUMNS: readonly Column<ListedUser>[] = [
  {
    name: 'Name',
    cell: ({ customUserId, firstName, lastName, email }) => {
      const name = [firstName, lastName].filter(Boolean).join(' ');
      return (
        <>
          <Link to="/users/$customUserId" params={{ customUserId }} title={customUserId}>
            <bdi>{name || customUserId}</bdi>
            {name !== '' && <bdi className="soft row-id">{customUserId}</bdi>}
          </Link>
          <div className="narrow-only soft small cut">{email}</div>
        </>
      );
    },
  },
  { name: 'E-mail', isMinor: true, width: '18rem', cell: ({ email }) => email ?? '–' },
  { name: 'Phone', isMinor: true, width: '11rem', cell: ({ phoneNumber }) => phoneNumber ?? '–' },
  shortTimeColumn('Registered', ({ registeredAt }) => registeredAt),
];

export function UsersPage() {
  const filters = useFilters(['search']);
  const navigate = useNavigate();
  const mayExport = useMay('exportUsers');
  return (
    <Page
      title="Users"
      isList
      actions={<SearchField label="Id, e-mail or phone" {...filters.field('search')} />}
    >
      <List<ListedUser>
        label="Users"
        path="users"
        query={filters.values}
        columns={COLUMNS}
        rowKey={({ customUserId }) => customUserId}
        onOpen={({ customUserId }) =>
          void navigate({ to: '/users/$customUserId', params: { customUserId } })
        }
        isLined
        fileName={mayExport ? 'users.csv' : null}
        empty={
          filters.isAny ? (
            <Empty
              title="No users found"
              icon="search"
              action={<Button onClick={filters.clear}>Clear search</Button>}
            >
              IDs are case-sensitive. A user appears once a user message has registered them. You
              can also search by serviceUserId or by the hash of an address.
            </Empty>
          ) : (
            <FirstEmpty
              title="No users yet"
              action={<Link to="/start">First steps</Link>}
              ghost={[
                ['Ada Lovelace', 'ada@example.com', 'Berlin', '2 min'],
                ['יוסי כהן', 'yossi@example.com', 'תל אביב', '1 h'],
                ['مینا کریمی', 'mina@example.com', 'تهران', 'Yesterday'],
              ]}
              call={INGEST_CALL}
            >
              Send a message of the type <code>user</code> with a customUserId.
            </FirstEmpty>
          )
        }
      />
    </Page>
  );
}
