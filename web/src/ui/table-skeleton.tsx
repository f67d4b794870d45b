import type { Column } from './table.tsx';

const ROWS = 8;
const WIDTHS = ['62%', '78%', '48%', '70%', '55%'];

/** The shape of a table while its rows load. */
export function TableSkeleton<Row>({ columns }: { readonly columns: readonly Column<Row>[] }) {
  return (
    <div className="table-box" role="status" aria-label="Loading">
      <table className="lined" aria-hidden="true">
        <tbody>
          {Array.from({ length: ROWS }, (_, row) => (
            // oxlint-disable-next-line react/no-array-index-key
            <tr key={row}>
              {columns.map(({ name, width, isMinor, isNumber }, column) => (
                <td
                  key={name}
                  className={isMinor ? 'minor' : undefined}
                  style={width === undefined ? undefined : { width }}
                >
                  <div
                    className="skeleton"
                    style={{
                      width: WIDTHS[(row + column) % WIDTHS.length],
                      marginInlineStart: isNumber ? 'auto' : undefined,
                    }}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
