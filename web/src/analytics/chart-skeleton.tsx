/** The shape of a chart and its table, while the first answer is on its way. */
export function ChartSkeleton() {
  return (
    <div className="stack late" role="status" aria-label="Loading">
      <div className="skeleton chart-shape" />
      <div className="skeleton" />
      <div className="skeleton" />
      <div className="skeleton" />
    </div>
  );
}
