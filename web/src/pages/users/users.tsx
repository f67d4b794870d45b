import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/roles.ts';
import type { ListedUser } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { timeColumn } from '../../ui/columns.tsx';
import { useFilters } from '../../ui/filters.ts';
import { Icon } from '../../ui/icon.tsx';
import { List } from '../../ui/list.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { UserLink } from '../../ui/user-link.tsx';

const COLUMNS: readonly Column<ListedUser>[] = [
  {
    name: 'User',
    cell: ({ customUserId, firstName, lastName }) => (
      <>
        <strong>
          <UserLink customUserId={customUserId} />
        </strong>
        <div className="soft small wrap" dir="auto">
          {[firstName, lastName].filter(Boolean).join(' ')}
        </div>
      </>
    ),
  },
  { name: 'E-mail', cell: ({ email }) => (email === null ? '–' : <LongText text={email} />) },
  { name: 'Phone', isMinor: true, cell: ({ phoneNumber }) => phoneNumber ?? '–' },
  timeColumn('Registered', ({ registeredAt }) => registeredAt),
];

export function UsersPage() {
  const filters = useFilters(['search']);
  const [text, setText] = useState(filters.get('search'));
  const navigate = useNavigate();
  const mayExport = useMay('exportUsers');
  return (
    <Page title="Users" description="All registered users. Search by ID, e-mail or phone.">
      <Card isFlush>
        <form
          className="inside"
          role="search"
          onSubmit={(event) => {
            event.preventDefault();
            filters.set('search', text.trim());
          }}
        >
          <div className="field">
            <label htmlFor="user-search">Search users (ID prefix, e-mail, phone)</label>
            <div className="row">
              <div className="search-box grow">
                <Icon name="search" />
                <input
                  id="user-search"
                  type="search"
                  dir="auto"
                  className="input"
                  value={text}
                  onChange={(event) => setText(event.target.value)}
                  autoComplete="off"
                  spellCheck={false}
                />
              </div>
              <Button type="submit" kind="primary">
                Search
              </Button>
            </div>
          </div>
        </form>
        <List<ListedUser>
          label="Users"
          path="users"
          query={filters.values}
          columns={COLUMNS}
          rowKey={({ customUserId }) => customUserId}
          onOpen={({ customUserId }) =>
            void navigate({ to: '/users/$customUserId', params: { customUserId } })
          }
          fileName={mayExport ? 'users.csv' : null}
          empty={
            filters.isAny ? (
              <Empty
                title="No users found"
                icon="search"
                action={
                  <Button
                    onClick={() => {
                      setText('');
                      filters.clear();
                    }}
                  >
                    Clear search
                  </Button>
                }
              >
                IDs are case-sensitive. A user appears once a user message has registered them. You
                can also search by serviceUserId or by the hash of an address.
              </Empty>
            ) : (
              <Empty
                title="No users yet"
                icon="users"
                action={<Link to="/start">First steps</Link>}
              >
                Send a message of the type <code>user</code> with a customUserId.
              </Empty>
            )
          }
        />
      </Card>
    </Page>
  );
}
