/** The help: every key, and the language of the search, by topic and with a filter. */
import { useState } from 'preact/hooks';
import { ModalDialog } from '../parts/modal-dialog';
import { fitting, type HelpEntry, type HelpTopic, TOPICS } from './help-topics';
import { helpShown } from './keys';
import './help-dialog.css';

export function HelpDialog() {
  return (
    <ModalDialog shown={helpShown} class="help" aria-labelledby="help-title">
      {helpShown.value ? <Help /> : null}
    </ModalDialog>
  );
}

function close(): void {
  helpShown.value = false;
}

function Help() {
  const [typed, setTyped] = useState('');
  const topics = fitting(TOPICS, typed);
  const count = topics.reduce((sum, { entries }) => sum + entries.length, 0);
  return (
    <div class="help-body">
      <header>
        <h2 id="help-title">Help</h2>
        <input
          autofocus
          type="text"
          aria-label="Find a key or a word"
          placeholder="Find a key or a word"
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <button type="button" onClick={close}>
          Close
        </button>
      </header>
      <p class="help-found" role="status">
        {typed.trim() ? `${count} ${count === 1 ? 'entry' : 'entries'}` : 'The keys, and what a search may say'}
      </p>
      <div class="help-topics">
        {topics.map((topic) => (
          <Topic key={topic.title} topic={topic} />
        ))}
      </div>
    </div>
  );
}

function Topic({ topic }: { readonly topic: HelpTopic }) {
  return (
    <section class={`help-topic help-${topic.kind}s`}>
      <h3>{topic.title}</h3>
      <dl>
        {topic.entries.map((entry) => (
          <Entry key={entry.says} entry={entry} kind={topic.kind} />
        ))}
      </dl>
    </section>
  );
}

interface EntryProps {
  readonly entry: HelpEntry;
  readonly kind: HelpTopic['kind'];
}

function Entry({ entry: { codes, says }, kind }: EntryProps) {
  return (
    <div class="help-entry">
      <dt>{codes.map((each) => (kind === 'key' ? <kbd key={each}>{each}</kbd> : <code key={each}>{each}</code>))}</dt>
      <dd>{says}</dd>
    </div>
  );
}
