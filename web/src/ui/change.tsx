const percent = new Intl.NumberFormat(undefined, {
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
});

/** How much a number rose or fell. */
export function Change({
  now,
  before,
}: {
  readonly now: number | undefined;
  readonly before: number | undefined;
}) {
  if (now === undefined || before === undefined) return <span className="soft">–</span>;
  if (before === 0) return <span className="soft">{now === 0 ? '–' : 'new'}</span>;
  const change = ((now - before) / before) * 100;
  const tone = change > 0 ? 'rise' : change < 0 ? 'fall' : 'soft';
  return <span className={tone}>{percent.format(change).replace('-', '−')} %</span>;
}

/** How much a share rose or fell, in points of a hundred. */
export function PointsChange({ now, before }: { readonly now: number; readonly before: number }) {
  const text = percent.format((now - before) * 100).replace('-', '−');
  const tone = text === '0' ? 'soft' : now > before ? 'rise' : 'fall';
  return (
    <span className={tone}>
      {text} {text === '+1' || text === '−1' ? 'point' : 'points'}
    </span>
  );
}
