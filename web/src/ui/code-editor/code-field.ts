import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { liquid } from '@codemirror/lang-liquid';
import { LanguageSupport, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { Annotation, Compartment, EditorState, Prec, type Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers, placeholder as placeholderOf } from '@codemirror/view';
import { flushSync } from 'react-dom';
import type { CodeFault } from './code-faults.ts';
import { directionOfLines, showFaults, theFaults } from './decorations.ts';
import { highlighting, theme } from './theme.ts';

/** `text`: a text with Liquid in it. `html`: HTML with Liquid in it. */
export type CodeLanguage = 'text' | 'html' | 'json';

export type CodeProps = {
  readonly value: string;
  readonly language: CodeLanguage;
  readonly rows: number;
  readonly faults: readonly CodeFault[];
  readonly isInvalid: boolean;
  /** The ids of what describes it, outside. */
  readonly describedBy: string | undefined;
  readonly placeholder: string | undefined;
  readonly onChange: (value: string) => void;
};

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'code-field': DetailedHTMLProps<HTMLAttributes<CodeField>, CodeField>;
    }
  }
}

/** A change that the page made, not its reader. */
const isOfPage = Annotation.define<true>();

const PROSE = new LanguageSupport(
  StreamLanguage.define({
    token: (stream) => {
      stream.skipToEnd();
      return null;
    },
  }),
);
/**
 * What is typed stands there, and nothing else. The language of HTML would close each tag itself: who
 * types the closing tag had it twice, and Liquid closes `{%` in the same way.
 */
const asTyped = Prec.highest(
  EditorView.inputHandler.of((...[view, , , , insert]) => {
    view.dispatch(insert());
    return true;
  }),
);
const LANGUAGES: Readonly<Record<CodeLanguage, Extension>> = {
  text: liquid({ base: PROSE }),
  html: [liquid(), lineNumbers()],
  json: [json(), lineNumbers()],
};

/**
 * CodeMirror as a field of a form. It stands in a shadow root: there its styles are constructed sheets, which the
 * Content-Security-Policy of the pages permits. As a form-associated element it takes part in `label` and
 * `fieldset disabled` as a text area does.
 */
export class CodeField extends HTMLElement {
  static readonly formAssociated = true;
  readonly #internals = this.attachInternals();
  readonly #root = this.attachShadow({ mode: 'open' });
  readonly #language = new Compartment();
  readonly #attributes = new Compartment();
  readonly #editing = new Compartment();
  #view: EditorView | null = null;
  #props: CodeProps | null = null;
  #isDisabled = false;

  constructor() {
    super();
    // A press on its label is one on itself.
    this.addEventListener('click', (event) => {
      if (event.composedPath()[0] === this) this.focus();
    });
  }

  override focus(): void {
    this.#view?.focus();
  }

  formDisabledCallback(isDisabled: boolean): void {
    this.#isDisabled = isDisabled;
    this.#view?.dispatch({ effects: this.#editing.reconfigure(this.#permit()) });
  }

  /** Shows these properties. The first time it makes the editor. */
  show(props: CodeProps): void {
    const before = this.#props;
    this.#props = props;
    this.style.setProperty('--rows', String(props.rows));
    this.#view ??= this.#makeView(props);
    const view = this.#view;
    const { length } = view.state.doc;
    // Only a value from outside: while a reader types, the page may still show an earlier one.
    if (before !== null && props.value !== before.value)
      view.dispatch({
        changes: { from: 0, to: length, insert: props.value },
        annotations: isOfPage.of(true),
      });
    const effects = [
      ...(props.language === before?.language
        ? []
        : [this.#language.reconfigure(LANGUAGES[props.language])]),
      this.#attributes.reconfigure(this.#describe(props)),
      showFaults.of(props.faults),
    ];
    view.dispatch({ effects });
  }

  /** Puts a text in place of what is chosen, and the cursor behind it. */
  insert(text: string): void {
    const view = this.#view;
    if (view === null || this.#isDisabled) return;
    view.dispatch(view.state.replaceSelection(text), { scrollIntoView: true, userEvent: 'input' });
    view.focus();
  }

  choose(from: number, to: number): void {
    this.#view?.dispatch({ selection: { anchor: from, head: to } });
    this.#view?.focus();
  }

  destroy(): void {
    this.#view?.destroy();
    this.#view = null;
    this.#props = null;
  }

  #makeView({ value }: CodeProps): EditorView {
    const state = EditorState.create({
      doc: value,
      extensions: [
        theme,
        syntaxHighlighting(highlighting),
        history(),
        // Tab is not among them: it leaves the field.
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        EditorView.perLineTextDirection.of(true),
        directionOfLines,
        theFaults,
        asTyped,
        this.#language.of([]),
        this.#attributes.of([]),
        this.#editing.of(this.#permit()),
        EditorView.updateListener.of(({ docChanged, transactions, state: { doc } }) => {
          if (docChanged && !transactions.some((each) => each.annotation(isOfPage) === true))
            this.#tell(doc.toString());
        }),
      ],
    });
    return new EditorView({ state, root: this.#root, parent: this.#root });
  }

  /** At once: what is typed next is compared with it. */
  #tell(value: string): void {
    const props = this.#props;
    if (props === null) return;
    this.#props = { ...props, value };
    flushSync(() => props.onChange(value));
  }

  #permit(): Extension {
    return [EditorState.readOnly.of(this.#isDisabled), EditorView.editable.of(!this.#isDisabled)];
  }

  #describe({ isInvalid, describedBy = '', language, placeholder }: CodeProps): Extension {
    // An id means an element of the same tree.
    const described = describedBy
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '');
    return [
      EditorView.contentAttributes.of({
        'aria-label': Array.from(this.#internals.labels, ({ textContent }) => textContent).join(
          ' ',
        ),
        'aria-description': described.join(' ').trim(),
        ...(isInvalid && { 'aria-invalid': 'true' }),
        spellcheck: String(language === 'text'),
        // A long text scrolls by keys, also where it is only read.
        tabindex: '0',
        ...(language === 'text' && { class: 'prose' }),
      }),
      placeholder === undefined ? [] : placeholderOf(placeholder),
    ];
  }
}

customElements.define('code-field', CodeField);
