import { useNavigate } from '@tanstack/react-router';
import { credentials } from '../api/credentials.ts';
import { chooseApplication, useSession } from '../api/session.ts';
import { useStore } from '../lib/store.ts';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';

/** Shows and selects the application. With several, the URL names it, so that a shared link opens the same one. */
export function ApplicationMenu() {
  const { data } = useSession();
  const { applicationId } = useStore(credentials);
  const navigate = useNavigate();
  const applications = data?.applications ?? [];
  const shown = applications.find((each) => each.applicationId === applicationId);
  const name = (
    <>
      <img src="/dashboard/icon.svg" alt="" width="24" height="24" />
      <span className="cut strong" dir="auto">
        {shown?.name ?? 'Tidings'}
      </span>
    </>
  );
  if (applications.length < 2) return <p className="nav-application">{name}</p>;
  return (
    <Menu
      className="plain nav-application"
      name={`Application ${shown?.name ?? ''}`}
      label={
        <>
          {name}
          <Icon name="chevron" />
        </>
      }
      items={applications.map((each) => ({
        value: each.applicationId,
        label: each.name,
        isChosen: each.applicationId === applicationId,
      }))}
      onChoose={(chosen) => {
        chooseApplication(chosen);
        void navigate({ to: '/', search: { application: chosen } });
      }}
    />
  );
}
