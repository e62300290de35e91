/** What the margin says of one line: the operations made there and how they fare. */
import { GutterMarker } from '@codemirror/view';
import type { Margin } from '../../api/types';
import { marginWords } from './shown';

export class MarginMarker extends GutterMarker {
  constructor(
    private readonly margin: Margin,
    private readonly choose: (margin: Margin) => void,
  ) {
    super();
  }

  override eq(other: MarginMarker): boolean {
    return other.margin === this.margin;
  }

  override toDOM(): HTMLElement {
    const { short, full, bad } = marginWords(this.margin);
    const button = document.createElement('button');
    button.type = 'button';
    // CodeMirror hides its margins from screen readers; they, and the keyboard, have the list below the code.
    button.tabIndex = -1;
    button.className = bad ? 'margin-mark bad' : 'margin-mark';
    button.title = full;
    button.textContent = short;
    button.addEventListener('click', () => this.choose(this.margin));
    return button;
  }
}
