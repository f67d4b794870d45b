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
