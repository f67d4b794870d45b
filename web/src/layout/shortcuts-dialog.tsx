import { useStore } from '../lib/store.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { NEW_KINDS } from './new-menu.tsx';
import { PLACES } from './places.ts';
import { areLettersOn, switchLetters } from '../lib/shortcuts.ts';

const KEYS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    'Anywhere',
    [
      ['⌘K or Ctrl K', 'Find people, campaigns, pages and ids'],
      ['/', 'Search of the page'],
      ['?', 'This list'],
    ],
  ],
  [
    'In a list',
    [
      ['J, ↓', 'Next row'],
      ['K, ↑', 'Row before'],
      ['↵', 'Open the row'],
    ],
  ],
  ['New', NEW_KINDS.map(({ value, label }) => [value.toUpperCase(), label] as const)],
  [
    'Go to',
    PLACES.flatMap(({ key, label }) =>
      key === undefined ? [] : [[`G ${key.toUpperCase()}`, label] as const],
    ),
  ],
];

/** Lists the keys, and switches single letters off. */
export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  const isOn = useStore(areLettersOn);
  return (
    <Dialog title="Shortcuts" onClose={onClose}>
      <div className="shortcuts">
        {KEYS.map(([label, keys]) => (
          <section key={label}>
            <h3>{label}</h3>
            <dl>
              {keys.map(([key, text]) => (
                <div key={key}>
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{text}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <label className="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => switchLetters(event.target.checked)}
        />
        <span>Single keys act when no field has the focus</span>
      </label>
      <div className="dialog-foot">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
