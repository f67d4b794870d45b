import { useState } from 'react';
import { endSession, useSession } from '../api/session.ts';
import { errorMessage } from '../api/problem.ts';
import { humanize } from '../lib/format.ts';
import { useStore } from '../lib/store.ts';
import { Button } from '../ui/button.tsx';
import { showToast } from '../ui/toast.tsx';
import { ChangePassword } from './change-password.tsx';
import { chooseTheme, THEMES, theme } from './theme.ts';

/** The signed-in member with the role, the theme, the password and the sign-out button. */
export function Account() {
  const { data } = useSession();
  const chosen = useStore(theme);
  const [isChanging, setChanging] = useState(false);
  if (data == null) return null;
  const signOut = (): void =>
    void endSession().catch((error: unknown) => showToast(errorMessage(error), 'bad'));
  return (
    <div className="nav-foot">
      <div className="small">
        <span className="cut strong" dir="auto" title={data.user.email}>
          {data.user.name || data.user.email}
        </span>
        <span className="soft">{humanize(data.user.role)}</span>
      </div>
      <div className="row">
        <label className="hidden-visually" htmlFor="theme">
          Theme
        </label>
        <select
          id="theme"
          className="input grow"
          value={chosen}
          onChange={(event) =>
            chooseTheme(THEMES.find((each) => each === event.target.value) ?? 'system')
          }
        >
          {THEMES.map((each) => (
            <option key={each} value={each}>
              {each === 'system' ? 'System theme' : humanize(each)}
            </option>
          ))}
        </select>
        <Button isSmall onClick={() => setChanging(true)}>
          Password
        </Button>
        <Button isSmall onClick={signOut}>
          Sign out
        </Button>
      </div>
      {isChanging && <ChangePassword onClose={() => setChanging(false)} />}
    </div>
  );
}
