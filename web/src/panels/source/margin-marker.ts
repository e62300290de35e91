/** What the margin says of one line: the operations made there and how they fare. */
import { GutterMarker } from '@codemirror/view';
import type { Margin } from '../../api/types';
import { ORIGIN_SIGN } from '../../state/origins';
import { marginWords } from './shown';

export class MarginMarker extends GutterMarker {
  constructor(
    private readonly margin: Margin,
    private readonly choose: (margin: Margin) => void,
    private readonly origin: string,
  ) {
    super();
  }

  override eq(other: MarginMarker): boolean {
    return other.margin === this.margin && other.origin === this.origin;
  }

  override toDOM(): HTMLElement {
    const { short, full, bad } = marginWords(this.margin);
    const button = document.createElement('button');
    button.type = 'button';
    // CodeMirror hides its margins from screen readers; they, and the keyboard, have the list below the code.
    button.tabIndex = -1;
    button.className = ['margin-mark', bad && 'bad', this.origin && 'origin'].filter(Boolean).join(' ');
    button.title = this.origin ? `the trouble began here\n${full}` : full;
    button.textContent = this.origin ? short.replace(/^✕/, ORIGIN_SIGN) : short;
    button.addEventListener('click', () => this.choose(this.margin));
    return button;
  }
}
