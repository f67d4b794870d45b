/** A line chart with a query per series. */
export type Panel = {
  readonly title: string;
  readonly unit: 'reqps' | 'ops' | 's' | 'short' | 'percentunit' | 'bytes';
  readonly queries: readonly (readonly [expr: string, legend: string])[];
  readonly description?: string;
};
export type Dashboard = {
  readonly uid: string;
  readonly title: string;
  readonly rows: Readonly<Record<string, readonly Panel[]>>;
};

const COLUMNS = 24;
const PANELS_PER_LINE = 4;
const HEIGHT = 8;

/** Renders a dashboard for Grafana, with a variable for the data source. */
export function toGrafana({ uid, title, rows }: Dashboard): string {
  const panels: object[] = [];
  let y = 0;
  for (const [row, ofRow] of Object.entries(rows)) {
    panels.push({
      type: 'row',
      title: row,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
    });
    y += 1;
    const width = COLUMNS / Math.min(PANELS_PER_LINE, ofRow.length);
    for (const [index, panel] of ofRow.entries()) {
      const [column, line] = [index % PANELS_PER_LINE, Math.floor(index / PANELS_PER_LINE)];
      panels.push(toPanel(panel, { x: column * width, y: y + line * HEIGHT, w: width, h: HEIGHT }));
    }
    y += Math.ceil(ofRow.length / PANELS_PER_LINE) * HEIGHT;
  }
  const datasource = {
    name: 'datasource',
    label: 'Prometheus',
    type: 'datasource',
    query: 'prometheus',
  };
  const dashboard = {
    uid,
    title,
    tags: ['tidings'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [datasource] },
    panels: panels.map((panel, index) => ({ id: index + 1, ...panel })),
  };
  return `${JSON.stringify(dashboard, undefined, 2)}\n`;
}

function toPanel({ title, unit, queries, description }: Panel, gridPos: object): object {
  return {
    type: 'timeseries',
    title,
    ...(description !== undefined && { description }),
    datasource: { type: 'prometheus', uid: '${datasource}' },
    fieldConfig: {
      defaults: { unit, min: 0, custom: { lineWidth: 1, fillOpacity: 8, showPoints: 'never' } },
      overrides: [],
    },
    options: {
      legend: { displayMode: 'list', placement: 'bottom' },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    gridPos,
    targets: queries.map(([expr, legendFormat], index) => ({
      refId: String.fromCodePoint(65 + index),
      expr,
      legendFormat,
    })),
  };
}
