/** The shape of a chart and its table, while the first answer is on its way. */
export function ChartSkeleton({ isQueued = false }: { readonly isQueued?: boolean }) {
  return (
    <>
      {isQueued && (
        <p className="soft small" role="status">
          Other questions are answered first. This one is asked again by itself.
        </p>
      )}
      <div className="stack late" role="status" aria-label="Loading">
        <div className="skeleton chart-shape" />
        <div className="skeleton" />
        <div className="skeleton" />
        <div className="skeleton" />
      </div>
    </>
  );
}
