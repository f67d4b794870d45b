import { useNavigate } from '@tanstack/react-router';
import { credentials } from '../api/credentials.ts';
import { chooseApplication, useSession } from '../api/session.ts';
import { useStore } from '../lib/store.ts';

/** Selects the application. With several, the URL names it, so that a shared link opens the same one. */
export function ApplicationSwitcher() {
  const { data } = useSession();
  const { applicationId } = useStore(credentials);
  const navigate = useNavigate();
  const applications = data?.applications ?? [];
  const choose = (chosen: string): void => {
    chooseApplication(chosen);
    void navigate({ to: '/', search: { application: chosen } });
  };
  if (applications.length < 2)
    return (
      <p className="switcher strong cut" dir="auto">
        {applications[0]?.name}
      </p>
    );
  return (
    <div className="switcher">
      <label className="hidden-visually" htmlFor="application">
        Application
      </label>
      <select
        id="application"
        className="input"
        dir="auto"
        value={applicationId ?? ''}
        onChange={(event) => choose(event.target.value)}
      >
        {applications.map((application) => (
          <option key={application.applicationId} value={application.applicationId}>
            {application.name}
          </option>
        ))}
      </select>
    </div>
  );
}
