import type { Warning } from '@tidings/contracts/errors/error-codes';
import { explain } from '../../labels/explain.ts';
import { pointerName } from '../../labels/pointer-name.ts';
import { Callout } from '../../ui/card.tsx';

/** What the service warns about; it does not block sending. */
export function CheckWarnings({ warnings }: { readonly warnings: readonly Warning[] }) {
  return warnings.map(({ code, pointer }) => (
    <Callout key={`${code} ${pointer}`} tone="warn">
      <p className="small">
        <strong>{pointerName(pointer)}:</strong> {explain('warning', code).summary}
      </p>
    </Callout>
  ));
}
