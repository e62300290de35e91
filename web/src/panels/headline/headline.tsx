/** The chosen finding over the full width: the cause in a sentence, the line, the fix, and the ways to hand it on. */
import { useEffect, useState } from 'preact/hooks';
import { answers } from '../../api/current';
import type { Finding } from '../../api/types';
import { fileName } from '../../parts/file-name';
import { Move } from '../../parts/move';
import { Prose } from '../../parts/prose';
import { chosenFinding } from '../../state/choose';
import { overview } from '../../state/store';
import { editorLink } from '../source/shown';
import { copied } from './copied';
import { markdown, whereabouts } from './markdown';
import './headline.css';

/** Opens a file where nobody has said in which editor; `tdbg view --editor` does. */
const EDITOR = 'vscode://file/{file}:{line}';

export function Headline() {
  const finding = chosenFinding.value;
  if (!finding) return null;
  return (
    <section class={`headline level-${finding.level}`} aria-label="The chosen finding">
      <div class="headline-what">
        <p class="headline-title">
          <strong>{finding.title}</strong> <span class="muted">{whereabouts(finding)}</span>
        </p>
        <p>
          <Prose text={finding.explanation} />
        </p>
      </div>
      <div class="headline-how">
        <Line finding={finding} />
        {finding.suggestion ? (
          <p class="headline-fix">
            <strong>Fix:</strong> <Prose text={finding.suggestion} />
          </p>
        ) : null}
      </div>
      <Ways finding={finding} />
    </section>
  );
}

function Line({ finding: { source, gradient_of: forward } }: { readonly finding: Finding }) {
  if (!source) return null;
  return (
    <p class="headline-line">
      <Move to={{ file: source.file, line: source.line }} title={`${source.file}:${source.line}`}>
        <code>{source.text.trim() || fileName(source.file)}</code>
      </Move>
      {forward ? <span class="muted"> made {forward}, of which this is the gradient</span> : null}
    </p>
  );
}

/** What was copied is said for a moment at the button itself. */
function Ways({ finding }: { readonly finding: Finding }) {
  const [said, setSaid] = useState('');
  useEffect(() => setSaid(''), [finding]);
  const copy = (what: string, text: string) => async (): Promise<void> => {
    setSaid((await copied(text)) ? what : 'refused');
  };
  const { source } = finding;
  const template = overview.value?.editor || EDITOR;
  return (
    <div class="headline-ways">
      <button
        type="button"
        title="For an issue or a message"
        onClick={copy('text', markdown(finding, window.location.href))}
      >
        {said === 'text' ? 'Copied ✓' : 'Copy as Markdown'}
      </button>
      <button type="button" title="To this place of the page" onClick={copy('link', window.location.href)}>
        {said === 'link' ? 'Copied ✓' : 'Copy link'}
      </button>
      {source && !answers.saved ? (
        <a class="headline-editor" href={editorLink(template, source)} title={`${source.file}:${source.line}`}>
          Open {fileName(source.file)}:{source.line}
        </a>
      ) : null}
      <span class="unseen" role="status">
        {said === 'refused' ? 'The browser lets nothing be copied here.' : said ? 'Copied.' : ''}
      </span>
      {said === 'refused' ? <span class="muted">The browser lets nothing be copied here.</span> : null}
    </div>
  );
}
