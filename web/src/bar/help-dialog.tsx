/** The help: every key, and the language of the search. */
import { GRAPH_KEYS } from '../panels/graph/keys';
import { TIMELINE_KEYS } from '../panels/timeline/keys';
import { ModalDialog } from '../parts/modal-dialog';
import { BINDINGS, helpShown } from './keys';
import './help-dialog.css';

const ELSEWHERE: readonly (readonly [string, string])[] = [
  ['Ctrl K', 'go to anything by its name, or do anything'],
  ['Esc', 'leave a field, close this help'],
  ['Tab', 'from panel to panel; arrow keys move inside of one'],
];

const SEARCH: readonly (readonly [string, string])[] = [
  ['probs', 'the word is in the name, the operation or the function'],
  ['op:Log', 'the operation, likewise name: function: file: line: device: layer:'],
  ['step:3..', 'from step 3 on; ..7 and 3..9 too, likewise iteration: execution: event:'],
  ['dtype:float16 shape:[100,*]', 'what the tensor is'],
  ['nonfinite', 'or nan, inf, zero, negative, kept'],
  ['max:>1e3', 'likewise min: mean: std: size:'],
  ['-op:Const "two words"', 'a minus says not, quotes hold blanks together, * and ? stand for anything'],
];

export function HelpDialog() {
  const close = (): void => {
    helpShown.value = false;
  };
  return (
    <ModalDialog shown={helpShown} class="help" aria-labelledby="help-title">
      <div class="help-body">
        <header>
          <h2 id="help-title">Keys</h2>
          <button type="button" onClick={close}>
            Close
          </button>
        </header>
        <dl>
          {BINDINGS.map(({ keys, does }) => (
            <Entry key={does} code={keys} says={does} kind="key" />
          ))}
          {ELSEWHERE.map(([key, does]) => (
            <Entry key={key} code={[key]} says={does} kind="key" />
          ))}
        </dl>
        <Group title="In the timeline" entries={TIMELINE_KEYS} />
        <Group title="In the graph" entries={GRAPH_KEYS} />
        <h2>Search</h2>
        <p>All words must hold.</p>
        <dl class="help-search">
          {SEARCH.map(([example, says]) => (
            <Entry key={example} code={[example]} says={says} kind="word" />
          ))}
        </dl>
      </div>
    </ModalDialog>
  );
}

interface GroupProps {
  readonly title: string;
  readonly entries: readonly (readonly [readonly string[], string])[];
}

/** Keys that work while one is in a panel. */
function Group({ title, entries }: GroupProps) {
  return (
    <>
      <h2>{title}</h2>
      <dl>
        {entries.map(([keys, does]) => (
          <Entry key={does} code={keys} says={does} kind="key" />
        ))}
      </dl>
    </>
  );
}

interface EntryProps {
  readonly code: readonly string[];
  readonly says: string;
  readonly kind: 'key' | 'word';
}

function Entry({ code, says, kind }: EntryProps) {
  return (
    <div class="help-entry">
      <dt>{code.map((each) => (kind === 'key' ? <kbd key={each}>{each}</kbd> : <code key={each}>{each}</code>))}</dt>
      <dd>{says}</dd>
    </div>
  );
}
