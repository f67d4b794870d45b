import { StateEffect, StateField, type Range } from '@codemirror/state';
import {
  Decoration,
  EditorView,
  ViewPlugin,
  type DecorationSet,
  type ViewUpdate,
} from '@codemirror/view';
import type { CodeFault } from './code-faults.ts';

/** Marks these faults instead of those before. */
export const showFaults = StateEffect.define<readonly CodeFault[]>();

const FAULTY_LINE = Decoration.line({ class: 'faulty-line' });

/** The marks of faults. They move with the text until the next ones. */
export const theFaults = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { changes, effects, state: { doc } }) {
    const shown = effects.findLast((effect) => effect.is(showFaults));
    if (shown === undefined) return marks.map(changes);
    const ranges = (shown.value as readonly CodeFault[]).flatMap(
      ({ text, place }): Range<Decoration>[] => {
        if (place === undefined || place.from > doc.length) return [];
        const line = FAULTY_LINE.range(doc.lineAt(place.from).from);
        const to = Math.min(place.to, doc.length);
        const mark = Decoration.mark({ class: 'fault', attributes: { title: text } });
        return to > place.from ? [line, mark.range(place.from, to)] : [line];
      },
    );
    return Decoration.set(ranges, true);
  },
  provide: (field) => EditorView.decorations.from(field),
});

const OWN_DIRECTION = Decoration.line({ attributes: { dir: 'auto' } });

function directionsIn({ visibleRanges, state: { doc } }: EditorView): DecorationSet {
  const lines = visibleRanges.flatMap(({ from, to }) => {
    const [first, last] = [doc.lineAt(from).number, doc.lineAt(to).number];
    return Array.from({ length: last - first + 1 }, (_, index) => doc.line(first + index).from);
  });
  return Decoration.set([...new Set(lines)].map((from) => OWN_DIRECTION.range(from)));
}

/** Each line begins at the side of its first letter. */
export const directionOfLines = ViewPlugin.define(
  (view) => ({
    decorations: directionsIn(view),
    update({ docChanged, viewportChanged, view: changed }: ViewUpdate) {
      if (docChanged || viewportChanged) this.decorations = directionsIn(changed);
    },
  }),
  { decorations: ({ decorations }) => decorations },
);
