/** The code of a file in CodeMirror, to read: its lines' operations in the margin, and the chosen line marked. */
import { pythonLanguage } from '@codemirror/lang-python';
import { syntaxHighlighting } from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension, RangeSet, type Text } from '@codemirror/state';
import { Decoration, EditorView, GutterMarker, gutter, gutterLineClass, keymap, lineNumbers } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import type { Margin } from '../../api/types';
import { MarginMarker } from './margin-marker';

/** What the panel is told when a line is clicked. */
export interface CodeEvents {
  /** On what its margin says. */
  readonly onMargin: (margin: Margin) => void;
  /** On the code itself. */
  readonly onLine: (line: number) => void;
}

/** Lets CodeMirror's own styles pass the content-security policy. */
const NONCE = EditorView.cspNonce.of(document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? '');

/** A reader of one file at a time. */
export class Code {
  private readonly view: EditorView;
  private readonly chosen = new Compartment();
  private readonly margins = new Compartment();
  private readonly events: CodeEvents;
  private readonly always: Extension;
  private line: number | undefined;

  constructor(parent: HTMLElement, events: CodeEvents) {
    this.events = events;
    this.always = fixed(events);
    // From the beginning: the first view makes the styles.
    this.view = new EditorView({ parent, extensions: [NONCE] });
  }

  /** Shows a text, from its beginning. */
  show(text: string, file: string): void {
    this.line = undefined;
    const language = /\.pyw?$/.test(file) ? pythonLanguage : [];
    const label = EditorView.contentAttributes.of({ 'aria-label': `Source of ${file}`, tabindex: '0' });
    const own = [this.margins.of([]), this.chosen.of([])];
    this.view.setState(EditorState.create({ doc: text, extensions: [own, this.always, language, label] }));
  }

  /** Sets what stands in the margin. */
  annotate(margins: readonly Margin[], origins: ReadonlySet<number>): void {
    const { doc } = this.view.state;
    const marks = margins
      .filter(({ line }) => line >= 1 && line <= doc.lines)
      .map((margin) => {
        const origin = origins.has(margin.line) ? 'origin' : '';
        return new MarginMarker(margin, this.events.onMargin, origin).range(doc.line(margin.line).from);
      });
    const markers = RangeSet.of(marks, true);
    this.view.dispatch({
      effects: this.margins.reconfigure(
        gutter({ class: 'code-margin', markers: () => markers, renderEmptyElements: false }),
      ),
    });
  }

  /** Marks a line and brings it into view; undefined marks none. */
  choose(line: number | undefined): void {
    const { doc } = this.view.state;
    const there = line !== undefined && line >= 1 && line <= doc.lines ? line : undefined;
    const effects = [this.chosen.reconfigure(mark(doc, there))];
    const scroll = there !== undefined && there !== this.line;
    this.line = there;
    this.view.dispatch({
      effects: scroll
        ? [...effects, EditorView.scrollIntoView(doc.line(there).from, { y: 'center', x: 'start' })]
        : effects,
    });
  }

  destroy(): void {
    this.view.destroy();
  }
}

/** What is the same for all files. */
function fixed(events: CodeEvents): Extension {
  return [
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    NONCE,
    lineNumbers(),
    syntaxHighlighting(classHighlighter),
    search({ top: true }),
    highlightSelectionMatches(),
    // In a narrow window the page scrolls as a whole: only the code may move to show a line, not the page.
    EditorView.scrollHandler.of((view, range, { y }) => {
      const { top, height } = view.lineBlockAt(range.head);
      const { scrollDOM: box } = view;
      const inView = top >= box.scrollTop && top + height <= box.scrollTop + box.clientHeight;
      if (y === 'center' || !inView) box.scrollTop = top - (box.clientHeight - height) / 2;
      if (y === 'center') box.scrollLeft = 0;
      return true;
    }),
    keymap.of(searchKeymap),
    EditorView.domEventHandlers({
      click(event, view) {
        const position = view.posAtCoords({ x: event.clientX, y: event.clientY });
        // One who marks text to copy it does not choose a line.
        const marked = window.getSelection()?.isCollapsed === false;
        if (position !== null && !marked) events.onLine(view.state.doc.lineAt(position).number);
      },
    }),
  ];
}

const LINE = Decoration.line({ class: 'code-chosen', attributes: { 'aria-current': 'true' } });

class ChosenNumber extends GutterMarker {
  override elementClass = 'code-chosen';
}

const NUMBER = new ChosenNumber();

function mark(doc: Text, line: number | undefined): Extension {
  if (line === undefined) return [];
  const { from } = doc.line(line);
  return [
    EditorView.decorations.of(Decoration.set(LINE.range(from))),
    gutterLineClass.of(RangeSet.of(NUMBER.range(from))),
  ];
}
