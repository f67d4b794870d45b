// Progress output: a line per step with its duration, and a spinner on a terminal. Plain JavaScript
// because the bootstrap needs it before Node 24 exists; types are in progress.d.mts.

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 80;
/** In a pipe, a step is announced only after this time, so that fast steps take one line. */
const ANNOUNCE_AFTER_MS = 3_000;

/** Colours for a stream: only on a terminal, never with NO_COLOR. */
export function palette(stream = process.stdout, environment = process.env) {
  const isColoured = Boolean(stream.isTTY) && !environment.NO_COLOR && environment.TERM !== 'dumb';
  const paint = (code) => (text) => (isColoured ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    bold: paint(1),
    dim: paint(2),
    red: paint(31),
    green: paint(32),
    yellow: paint(33),
    cyan: paint(36),
  };
}

/** Formats milliseconds, e.g. as "2.1 s". */
function seconds(durationMs) {
  return durationMs < 100 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1000).toFixed(1)} s`;
}

/** Steps may run in parallel; each ends on its own line. */
export function createProgress(stream = process.stdout) {
  const isLive = Boolean(stream.isTTY) && process.env.TERM !== 'dumb';
  const colour = palette(stream);
  const running = new Set();
  let frame = 0;
  let timer;

  const draw = () => {
    const [first, ...others] = running;
    if (!isLive || first === undefined) return;
    const text = [first, ...others]
      .map((step) => (step.note === '' ? step.title : `${step.title}: ${step.note}`))
      .join(' · ');
    const room = Math.max(20, (stream.columns ?? 80) - 6);
    stream.write(
      `\r\u001b[2K  ${colour.cyan(FRAMES[frame++ % FRAMES.length])} ${text.length > room ? `${text.slice(0, room - 1)}…` : text}`,
    );
  };
  const line = (text) => {
    stream.write(`${isLive && running.size > 0 ? '\r\u001b[2K' : ''}${text}\n`);
    draw();
  };
  const begin = (step) => {
    running.add(step);
    if (isLive) timer ??= setInterval(draw, FRAME_MS);
    else step.announcement = setTimeout(() => line(`  · ${step.title} …`), ANNOUNCE_AFTER_MS);
  };
  const end = (step, mark, text) => {
    clearTimeout(step.announcement);
    line(`  ${mark} ${text} ${colour.dim(seconds(performance.now() - step.startedAt))}`);
    running.delete(step);
    if (running.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    if (isLive) stream.write('\r\u001b[2K');
  };

  return {
    line,
    async step(title, action) {
      const step = { title, note: '', startedAt: performance.now(), announcement: undefined };
      begin(step);
      try {
        const result = await action((note) => {
          step.note = note;
        });
        end(step, colour.green('✓'), step.title);
        return result;
      } catch (error) {
        end(step, colour.red('✗'), step.title);
        throw error;
      }
    },
  };
}
